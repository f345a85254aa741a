"""The only node that pauses: it puts open questions to people, alone in its superstep."""

from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from contracts import estimate, one_line
from graph.context import Context, context_of
from graph.desk import Desk, tell
from graph.keeping import keep, touch
from graph.people import AGAIN, answers, is_approved_again, is_of_others, pause
from graph.state import View
from ledger import Answered, Asked, checked, plain
from ledger.events import ANSWER
from ledger.view import open_questions
from store.errors import StoreError

JSON = dict[str, Any]
LAPSED = ("", "skip", "no answer")
"""Answers that leave a question without one."""


def make_ask(desk: Desk) -> Any:
    """Return the ask node of this desk."""

    async def ask(state: View, runtime: Runtime[Context]) -> JSON:
        """Pause for the answers to all open questions; they come back as data."""
        ledger = checked(state["ledger"])
        waiting = open_questions(ledger)
        if not waiting:
            return {}
        if not context_of(runtime).ask_people:
            return await close_questions(desk, ledger, {}, runtime)
        await touch(desk.store, ledger["case"])
        return await close_questions(desk, ledger, _put(ledger, waiting), runtime)

    return ask


def _put(ledger: JSON, waiting: list[JSON]) -> dict[str, str]:
    """Pause until a response is one to what is waiting; one that may be the last approval clicked twice is asked for once more."""
    note = ""
    while True:
        resumed = interrupt(pause(ledger["case"], waiting, note))
        if is_of_others(resumed, waiting):
            continue
        if note or not is_approved_again(resumed, waiting, ledger["questions"]):
            return answers(resumed, waiting)
        note = AGAIN


async def close_questions(desk: Desk, ledger: JSON, given: dict[str, str], runtime: Runtime[Context]) -> JSON:
    """Return the update that closes each open question with its answer; one without an answer lapses."""
    case, waiting = ledger["case"], open_questions(ledger)
    events: list[Any] = [Asked(case=case, questions=tuple(item["id"] for item in waiting))]
    handles: JSON = {}
    for item in waiting:
        text = given.get(item["id"], "")
        line = one_line(text)  # before it is cut: a condition may stand far behind a yes
        handle = await _keep_long(desk, case, text)
        if handle:
            handles[handle.alias] = handle.model_dump(mode="json")
        lapsed = line.casefold() in LAPSED
        events.append(Answered(case=case, question=item["id"], text=ANSWER.cut(line), handle=handle.alias if handle else None, lapsed=lapsed))
        tell(runtime, "answer", case=case, question=item["id"], lapsed=lapsed)
    return {"ledger": [plain(event) for event in events], "artifacts": handles}


async def _keep_long(desk: Desk, case: str, text: str) -> Any:
    line = one_line(text)
    if len(line.encode()) <= ANSWER.bytes and estimate(line) <= ANSWER.tokens:
        return None
    try:
        return await keep(desk.store, case, text, stem="G2", kind="resident_answer", description="A person's answer, whole", producer="ask")
    except StoreError:
        return None  # what fits the ledger goes on, visibly cut: a person is not asked again because a store is down
