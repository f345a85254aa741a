"""The reducer of the ledger: pure, total, schema first, idempotent. It never raises and never changes its inputs."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError

from contracts.causes import cause_of, field_of
from contracts.decision import Decision, Dispatch
from contracts.registry import Registry
from contracts.returns import Return
from ledger import apply
from ledger.check import hash_of, is_sealed, sealed
from ledger.criteria import alias_order, targets
from ledger.events import EVENT, LINE, Answered, Asked, Compacted, Decided, Finished, Opened, Returned, Spent, Stopped
from ledger.guard import judge
from ledger.view import step_of

JSON = dict[str, Any]
_UNFIT = (ValueError, TypeError, OverflowError, RecursionError)


class Misfit(Exception):
    """An event that its ledger cannot take; carries specialist, field and cause, none of the offending text."""

    def __init__(self, field: str, cause: str, specialist: str = "") -> None:
        super().__init__(f"{field}: {cause}")
        self.record = {"specialist": specialist, "field": field, "cause": cause}


def fold(ledger: Any, event: Any, registry: Registry) -> Any:
    """Return the ledger after one event, or after each of a list of events.

    An altered or unreadable ledger comes back unchanged, for the supervisor to stop on; what does not fit is noted in
    `rejected`, or as the `rejected` status of its step; a repeated event changes nothing; the same event with other
    content is noted in `conflicts`.
    """
    if isinstance(event, (list, tuple)):
        for item in event:
            ledger = fold(ledger, item, registry)
        return ledger
    current = {} if ledger is None else ledger
    if current != {} and not is_sealed(current):
        return ledger
    try:
        parsed = EVENT.validate_python(event.model_dump(mode="json") if isinstance(event, BaseModel) else event)
        changed = _fold(current, parsed, registry)
    except Misfit as misfit:
        changed = _noted(current, "rejected", misfit.record)
    except ValidationError as error:
        changed = _noted(current, "rejected", {"specialist": _claimed(event, registry), "field": field_of(error), "cause": cause_of(error)[:160]})
    except _UNFIT:
        changed = _noted(current, "rejected", {"specialist": _claimed(event, registry), "field": "event", "cause": "cannot be read as JSON"})
    return current if changed is current else sealed(changed)


def _fold(ledger: JSON, event: Any, registry: Registry) -> JSON:
    if isinstance(event, Opened):
        return _opened(ledger, event)
    if not ledger:
        raise Misfit("ledger", "no case is open yet")
    if event.case != ledger["case"]:
        raise Misfit("case", "belongs to another case", getattr(event, "specialist", ""))
    if ledger["status"] != "open":
        return _after_close(ledger, event)
    return _HANDLERS[type(event)](ledger, event, registry)


def _opened(ledger: JSON, event: Opened) -> JSON:
    mark = hash_of(event.model_dump(mode="json"))
    if ledger and ledger["case"] == event.case:
        return ledger if ledger["opened_hash"] == mark else _noted(ledger, "conflicts", {"id": f"{event.case}/opened", "hash": mark})
    names = {line.name for line in event.setup.roster}
    criteria = [item.model_dump(mode="json") for item in event.criteria]
    if any(owner not in names for item in criteria for owner in item["owners"]):
        raise Misfit("criteria.owners", "names a specialist that is not in the roster")
    earlier = None
    if event.earlier and ledger:
        count = (ledger["earlier"] or {"cases": 0})["cases"] + 1
        earlier = {"cases": count, "line": earlier_line(ledger), "handle": event.earlier}
    opened = apply.opened(event.case, event.at, event.goal, event.goal_handle, criteria, event.setup.model_dump(mode="json"), earlier, mark)
    return _with_cost(opened, "intake", event.spent)


def _with_cost(ledger: JSON, part: str, spent: Spent) -> JSON:
    tokens = ledger["counts"]["tokens"] + spent.tokens_in + spent.tokens_out
    return {**ledger, "counts": {**ledger["counts"], "tokens": tokens}, "spent": {**ledger["spent"], part: spent.model_dump(mode="json")}}


def earlier_line(ledger: JSON) -> str:
    """Return one line that says what an earlier case was about and how it ended."""
    last = next((step["headline"] for step in reversed(ledger["steps"]) if step["headline"]), "")
    return LINE.cut(f"{ledger['goal'][:200]} | {ledger['status']} | {last}")


def _decided(ledger: JSON, event: Decided, registry: Registry) -> JSON:
    mark = hash_of(event.model_dump(mode="json"))
    last = ledger["counts"]["decisions"]
    if event.n <= last:
        known = next((item for item in ledger["decisions"] if item["n"] == event.n), None)
        same = known is None or known["hash"] == mark
        return ledger if same else _noted(ledger, "conflicts", {"id": f"{event.case}/d{event.n}", "hash": mark})
    if event.n != last + 1:
        raise Misfit("n", f"decision {last + 1} comes next")
    if any(step["status"] == "pending" for step in ledger["steps"]):
        raise Misfit("n", "steps are still pending")
    sent = [item.model_dump(mode="json") for item in event.dispatch]
    if event.verdict == "ok":
        _check_legal(ledger, event)
        first = ledger["counts"]["steps"] + 1
        for index, item in enumerate(sent):
            item |= {"step": first + index, "criteria": targets(ledger["criteria"], item["specialist"], item["ask"])}
    record = event.model_dump(mode="json", exclude={"type", "case"}) | {"dispatch": sent, "hash": mark}
    return apply.decided(ledger, record)


def _check_legal(ledger: JSON, event: Decided) -> None:
    if event.action is None:
        raise Misfit("action", "a decision that holds names an action")
    decision = Decision(
        reason=event.reason,
        action=event.action,
        dispatch=tuple(Dispatch(specialist=item.specialist, ask=item.ask, handles=item.handles) for item in event.dispatch),
        out_of_scope=event.out_of_scope,
    )
    verdict = judge(ledger, decision)
    if not verdict.ok or len(verdict.dispatch) != len(event.dispatch):
        raise Misfit("verdict", f"the guard says {verdict.code}")


def _returned(ledger: JSON, event: Returned, registry: Registry) -> JSON:
    step = step_of(ledger, event.step)
    if step is None:
        if event.step <= ledger["counts"]["steps"]:
            return ledger
        raise Misfit("step", "was never dispatched", event.specialist)
    if step["specialist"] != event.specialist:
        raise Misfit("specialist", f"step {event.step} belongs to {step['specialist']}", event.specialist)
    done, questions = judged(step, event, registry)
    if step["status"] != "pending":
        same = step["hash"] == done["hash"]
        return ledger if same else _noted(ledger, "conflicts", {"id": f"{event.case}/s{event.step}", "hash": done["hash"]})
    changed, left_out = apply.returned(ledger, done, questions)
    for question in left_out:
        changed = _noted(changed, "rejected", {"specialist": event.specialist, "field": "questions", "cause": f"{question} not opened: too many are open"})
    return changed


def judged(step: JSON, event: Returned, registry: Registry) -> tuple[JSON, list[JSON]]:
    """Return the step after its contract judged what came back, and the questions it opens."""
    spent = event.spent.model_dump(mode="json")
    if event.result is None:
        cause = event.cause or "returned nothing"
        return {**step, "status": "failed", "cause": cause, "spent": spent, "hash": hash_of(["failed", cause])}, []
    contract = registry.get(event.specialist)
    try:
        if contract is None:
            raise Misfit("specialist", "is not registered any more", event.specialist)
        result = contract.returns.model_validate(event.result)
        _check_artifacts(step, result, event.specialist)
    except ValidationError as error:
        return _rejected(step, cause_of(error), spent), []
    except Misfit as misfit:
        return _rejected(step, str(misfit), spent), []
    body = result.model_dump(mode="json")
    mark = hash_of([body, event.cause])
    questions = [
        {"id": f"q{step['n']}" + (f".{index}" if index > 1 else ""), "step": step["n"], **item, "status": "open", "answer": "", "handle": None}
        | {"decision": None, "after": None}
        for index, item in enumerate(body.pop("questions"), 1)
    ]
    settles = [name for name in body["settles"] if name in step["criteria"]]
    ids = [item["id"] for item in questions]
    return {**step, **body, "settles": settles, "questions": ids, "cause": event.cause, "spent": spent, "hash": mark}, questions


def _check_artifacts(step: JSON, result: Return, specialist: str) -> None:
    if len(set(result.artifacts)) != len(result.artifacts):
        raise Misfit("artifacts", "names an artifact twice", specialist)
    for alias in result.artifacts:
        mine = alias[0] == "A" and alias_order(alias)[0] == step["n"]
        if not mine and alias not in step["handed"]:
            raise Misfit("artifacts", "is neither an artifact of this step nor one that was handed to it", specialist)


def _rejected(step: JSON, cause: str, spent: JSON) -> JSON:
    return {**step, "status": "rejected", "cause": cause[:200], "spent": spent, "hash": hash_of(["rejected", cause])}


def _asked(ledger: JSON, event: Asked, registry: Registry) -> JSON:
    open_ids = {item["id"] for item in ledger["questions"] if item["status"] == "open"}
    if not set(event.questions) <= open_ids:
        raise Misfit("questions", "is not open")
    return apply.asked(ledger, list(event.questions), ledger["counts"]["decisions"])


def _answered(ledger: JSON, event: Answered, registry: Registry) -> JSON:
    question = next((item for item in ledger["questions"] if item["id"] == event.question), None)
    if question is None:
        raise Misfit("question", "was never asked in this stretch")
    status = "lapsed" if event.lapsed else "answered"
    record = {**question, "status": status, "answer": event.text, "handle": event.handle, "after": ledger["counts"]["decisions"]}
    if question["status"] == "open":
        return apply.answered(ledger, record)
    same = (question["status"], question["answer"], question["handle"]) == (status, event.text, event.handle)
    return ledger if same else _noted(ledger, "conflicts", {"id": f"{event.case}/{event.question}", "hash": hash_of(event.text)})


def _compacted(ledger: JSON, event: Compacted, registry: Registry) -> JSON:
    entry = event.model_dump(mode="json", exclude={"type", "case"})
    last = ledger["archive"][-1] if ledger["archive"] else {"upto_step": 0, "upto_decision": 0, "handle": None}
    if event.upto_step <= last["upto_step"]:
        return ledger
    gone = [step for step in ledger["steps"] if step["n"] <= event.upto_step]
    if not gone or gone[-1]["n"] != event.upto_step or any(step["status"] == "pending" for step in gone):
        raise Misfit("upto_step", "is not a returned step of this ledger")
    if not last["upto_decision"] <= event.upto_decision < event.before or event.before != ledger["counts"]["decisions"] + 1:
        raise Misfit("upto_decision", "does not fit the decisions of this ledger")
    return apply.compacted(ledger, entry | {"previous": last["handle"]})


def _stopped(ledger: JSON, event: Stopped, registry: Registry) -> JSON:
    return ledger if ledger["reason"] else {**ledger, "reason": event.reason}


def _finished(ledger: JSON, event: Finished, registry: Registry) -> JSON:
    mark = hash_of(event.model_dump(mode="json"))
    ledger = _with_cost(ledger, "answer", event.spent)
    return apply.finished(ledger, event.status, event.reason or ledger["reason"], event.answer, list(event.missing), event.at, mark)


def _after_close(ledger: JSON, event: Any) -> JSON:
    if isinstance(event, Finished) and hash_of(event.model_dump(mode="json")) == ledger["closed_hash"]:
        return ledger
    if isinstance(event, Returned) and (step := step_of(ledger, event.step)) and step["status"] != "pending" and step["cause"] != apply.INTERRUPTED:
        return ledger
    raise Misfit("case", "is closed", getattr(event, "specialist", ""))


def _noted(ledger: JSON, where: str, record: JSON) -> JSON:
    if not ledger:
        return ledger
    notes = sorted({repr(item): item for item in [*ledger[where], record]}.items())[: apply.MAX_FAULTS]
    kept = [item for _, item in notes]
    return ledger if kept == ledger[where] else {**ledger, where: kept}


def _claimed(event: Any, registry: Registry) -> str:
    name = event.get("specialist") if isinstance(event, dict) else None
    return name if isinstance(name, str) and name in registry else ""


_HANDLERS: dict[type, Callable[[JSON, Any, Registry], JSON]] = {
    Decided: _decided,
    Returned: _returned,
    Asked: _asked,
    Answered: _answered,
    Compacted: _compacted,
    Stopped: _stopped,
    Finished: _finished,
}
