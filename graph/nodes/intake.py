"""Intake: turn what came in into an `opened` event, or go on with the case that is open."""

import json
import uuid
from typing import Any

from langgraph.runtime import Runtime

from agents.model.calls import Cost
from agents.model.criteria import propose_criteria
from agents.offline.clauses import is_elsewhere, moved, places
from agents.offline.matching import match
from contracts import InputError, estimate
from contracts.returns import MAX_CRITERIA
from contracts.text import one_line, verbatim
from graph.context import Context, context_of
from graph.desk import Desk, spent_of, tell
from graph.keeping import keep
from graph.state import IntakeView
from ledger import Finished, NewCriterion, Opened, checked, checked_handles, plain
from ledger.events import CRITERION, MAX_GOAL
from ledger.share import GOAL
from store.errors import StoreError, StoreUnavailable

JSON = dict[str, Any]
MOST_WHICH = 40
"""Characters of an answer that tells one place from others of its name."""


def make_intake(desk: Desk) -> Any:
    """Return the intake node of this desk."""

    async def intake(state: IntakeView, runtime: Runtime[Context]) -> JSON:
        """Open a case for a new goal or other criteria; the same again while its case is open goes on with it."""
        ledger, goal, given = state["ledger"], state.get("goal"), _checked_criteria(state.get("criteria"))
        if ledger:
            ledger = checked(ledger)
            checked_handles(ledger, state["artifacts"])
            if ledger["status"] == "open":
                goal = ledger["goal"] if goal is None else goal
                if isinstance(goal, str) and _clean(goal) == ledger["goal"] and (not given or _is_asked_for(given, ledger)):
                    return {}
        goal, context, case = _checked_goal(goal), context_of(runtime), uuid.uuid4().hex
        setup = desk.setup(context)
        await desk.ready()
        try:
            whole = await _keep_goal(desk, case, goal)
            earlier = await _keep_earlier(desk, case, ledger, state["artifacts"]) if ledger else None
        except StoreError as error:
            raise StoreUnavailable(f"no case was opened and nothing is lost, send the same goal again: {error}") from error
        criteria, cost = (
            (given, Cost()) if given else await propose_criteria(desk.router(context), goal, tuple(desk.specialists.values()), ledger or None)
        )
        criteria = tuple(_with_candidates(desk, item) for item in (criteria if given else _placed(criteria, goal, ledger)))
        event = Opened(
            case=case,
            at=desk.instant(),
            goal=goal,
            goal_handle=whole.alias if whole else None,
            criteria=criteria,
            setup=setup,
            earlier=earlier.alias if earlier else None,
            follows=ledger["case"] if ledger else None,
            spent=spent_of(cost),
        )
        tell(runtime, "opened", case=case, criteria=[item.text for item in criteria], model=desk.router(context).choice.model)
        handles = {item.alias: item.model_dump(mode="json") for item in (whole, earlier) if item}
        return {"ledger": plain(event), "artifacts": [dict.fromkeys(state["artifacts"]), handles]}

    return intake


def _placed(criteria: tuple[NewCriterion, ...], goal: str, ledger: Any) -> tuple[NewCriterion, ...]:
    """Name the place of the case before in each criterion of a goal that names none: who goes on about one house need not say so each time."""
    before = _place_of(ledger) if ledger else ""
    if not before or is_elsewhere(goal) or any(map(places, (item.text for item in criteria))):
        return criteria
    return tuple(item.model_copy(update={"text": CRITERION.cut(f"{moved(before, goal)}: {item.text}")}) for item in criteria)


def _place_of(ledger: JSON) -> str:
    """Return the one place that a case is about, with the part of the city that was chosen among several of its name; or ''."""
    found = places("\n".join([ledger["goal"], *(item["text"] for item in ledger["criteria"]), *(item["answer"] for item in ledger["questions"])]))
    if len(found) != 1:
        return ""
    chosen = [item["answer"] for item in ledger["questions"] if found[0] in item["text"] and not places(item["answer"])]
    carried = [item["text"].partition("): ")[0][len(found[0]) + 2 :] for item in ledger["criteria"] if item["text"].startswith(f"{found[0]} (")]
    which = next((line for text in (*chosen, *carried) if (line := one_line(text)) and len(line) <= MOST_WHICH), "")
    return f"{found[0]} ({which})" if which else found[0]


def _clean(goal: str) -> str:
    """Replace what no database stores in text: NUL and lone surrogates."""
    return goal.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _checked_goal(goal: Any) -> str:
    if goal is None:
        raise InputError('no goal was given: send {"goal": "..."} with the complaint in the resident\'s own words')
    if not isinstance(goal, str):
        raise InputError(f"the goal must be text, got {type(goal).__name__}")
    if len(goal) > MAX_GOAL:
        raise InputError(f"the goal has {len(goal)} characters, the most is {MAX_GOAL}: shorten it, or store the bulk and name it")
    text = _clean(goal)
    if not one_line(text):
        raise InputError("the goal is empty: write what the resident complains about")
    return text


def _checked_criteria(given: Any) -> tuple[NewCriterion, ...]:
    if given is None or given == []:
        return ()
    if not isinstance(given, (list, tuple)) or not all(isinstance(item, str) for item in given):
        raise InputError("criteria must be a list of lines of text")
    if len(given) > MAX_CRITERIA:
        raise InputError(f"{len(given)} criteria were given, the most is {MAX_CRITERIA}: join some")
    for index, item in enumerate(given, 1):
        line = one_line(item)
        if not line or len(line.encode()) > CRITERION.bytes or estimate(line) > CRITERION.tokens:
            raise InputError(
                f"criterion {index} must have 1 to {CRITERION.bytes} bytes and about {CRITERION.tokens} tokens; it has {len(line.encode())}"
            )
    return tuple(NewCriterion(text=item, source="caller") for item in given)


def _is_asked_for(given: tuple[NewCriterion, ...], ledger: JSON) -> bool:
    """Say whether these criteria are those that the open case was given."""
    return [item.text for item in given] == [item["text"] for item in ledger["criteria"] if item["source"] == "caller"]


def _with_candidates(desk: Desk, item: NewCriterion) -> NewCriterion:
    """Note whom an ownerless criterion is for by its text alone, so that nobody can talk a router into waiving it."""
    found = () if item.owners else match(item.text, desk.specialists.values())
    return item.model_copy(update={"candidates": tuple(one.name for one in found)[:8]})


async def _keep_goal(desk: Desk, case: str, goal: str) -> Any:
    """Store a goal that the prompt cannot show whole, so that a specialist can read it by its handle."""
    if estimate(verbatim(goal[: 8 * GOAL])) < GOAL and len(goal) <= 8 * GOAL:
        return None
    return await keep(desk.store, case, goal, stem="G1", kind="goal", description="The resident's goal, whole", producer="intake")


async def _keep_earlier(desk: Desk, case: str, ledger: JSON, artifacts: JSON) -> Any:
    """Store the earlier case of this thread whole; it stays in one line and a handle."""
    if ledger["status"] == "open":
        closing = Finished(case=ledger["case"], at=desk.instant(), status="stopped", reason="a new goal came in")
        ledger = desk.fold(ledger, plain(closing))
    body = json.dumps({"ledger": ledger, "artifacts": artifacts}, ensure_ascii=False)
    named = {"stem": "E1", "kind": "earlier_case", "description": "The thread's case before this one", "producer": "intake"}
    return await keep(desk.store, case, body, media_type="application/json", **named)
