"""What each event may do to a ledger: who may say it, what it must fit, when it is a repetition."""

from collections.abc import Callable
from typing import Any

from contracts.decision import Action, Decision, Dispatch
from contracts.registry import Registry
from ledger import apply
from ledger.compact import compacted
from ledger.criteria import alias_order, targets
from ledger.events import LINE, Answered, Asked, Compacted, Decided, Finished, Opened, Returned, Sent, Stopped
from ledger.guard import judge
from ledger.misfit import Clash, Misfit
from ledger.returning import judged
from ledger.seal import hash_of
from ledger.view import sent_by, step_of

JSON = dict[str, Any]


def accept(ledger: JSON, event: Any, registry: Registry) -> JSON:
    """Return the ledger after one parsed event; the same object when the event is a repetition.

    Raises:
        Misfit: The ledger cannot take it.
        Clash: It is known with other content.
    """
    if isinstance(event, Opened):
        return _opened(ledger, event, registry)
    specialist = getattr(event, "specialist", "")
    specialist = specialist if specialist in registry else ""
    if not ledger:
        raise Misfit("ledger", "no case is open yet", specialist)
    if event.case != ledger["case"]:
        raise Misfit("case", "belongs to another case", specialist)
    changed = _HANDLERS[type(event)](ledger, event, registry)
    if changed is not ledger and ledger["status"] != "open":
        raise Misfit("case", "is closed", specialist)
    return changed


def _opened(ledger: JSON, event: Opened, registry: Registry) -> JSON:
    mark = hash_of(event.model_dump(mode="json"))
    if ledger and ledger["case"] == event.case:
        return _unless(ledger["opened_hash"] == mark, ledger, f"{event.case}/opened", mark)
    if event.follows != (ledger["case"] if ledger else None):
        raise Misfit("follows", "does not name the case that stands in this ledger")
    names = {line.name for line in event.setup.roster}
    if not names <= set(registry):
        raise Misfit("setup.roster", "names a specialist that is not registered")
    criteria = [item.model_dump(mode="json") for item in event.criteria]
    if any(owner not in names for item in criteria for owner in (*item["owners"], *item["candidates"])):
        raise Misfit("criteria.owners", "names a specialist that is not in the roster")
    earlier = None
    if event.earlier and ledger:
        count = (ledger["earlier"] or {"cases": 0})["cases"] + 1
        earlier = {"cases": count, "line": earlier_line(ledger), "handle": event.earlier}
    told: JSON = {"case": event.case, "at": event.at, "goal": event.goal, "goal_handle": event.goal_handle}
    opened = apply.opened(**told, criteria=criteria, setup=event.setup.model_dump(mode="json"), earlier=earlier, mark=mark)
    return apply.costed(opened, "intake", event.spent.model_dump(mode="json"))


def _unless(same: bool, ledger: JSON, name: str, mark: str) -> JSON:
    """Return the ledger for a repeated event; another content under its id is a clash."""
    if not same:
        raise Clash(name, mark)
    return ledger


def earlier_line(ledger: JSON) -> str:
    """Return one line that says what an earlier case was about and how it ended."""
    last = next((step["headline"] for step in reversed(ledger["steps"]) if step["headline"]), "")
    return LINE.cut(f"{ledger['goal'][:120]} | {'left open' if ledger['status'] == 'open' else ledger['status']} | {last}")


def _decided(ledger: JSON, event: Decided, registry: Registry) -> JSON:
    record, last = event.model_dump(mode="json", exclude={"type", "case"}), ledger["counts"]["decisions"]
    if event.n <= last:
        known = next((item for item in ledger["decisions"] if item["n"] == event.n), None)
        return _unless(known is None or record == _as_sent(known, ledger), ledger, f"{event.case}/d{event.n}", hash_of(record))
    if event.n != last + 1:
        raise Misfit("n", f"decision {last + 1} comes next")
    if any(step["status"] == "pending" for step in ledger["steps"]):
        raise Misfit("n", "steps are still pending")
    fresh = []
    if event.verdict == "ok":
        _check_legal(ledger, event, registry)
        for n, item in enumerate(event.dispatch, ledger["counts"]["steps"] + 1):
            criteria = targets(ledger["criteria"], item.specialist, item.ask)
            sent: JSON = {"specialist": item.specialist, "ask": item.ask, "handed": list(item.handles)}
            fresh.append(apply.pending(n=n, decision=event.n, **sent, criteria=criteria))
        record["dispatch"] = [{"specialist": step["specialist"], "step": step["n"]} for step in fresh]
    return apply.decided(ledger, record, fresh)


def _as_sent(decision: JSON, ledger: JSON) -> JSON:
    """Return a decision as its event told it."""
    sent = [{key: item[key] for key in Sent.model_fields} for item in sent_by(decision, ledger["steps"])]
    return {key: value for key, value in decision.items() if key != "seal"} | {"dispatch": sent}


def _check_legal(ledger: JSON, event: Decided, registry: Registry) -> None:
    if event.action is None:
        raise Misfit("action", "a decision that holds names an action")
    if event.action is not Action.FINISH and ledger["counts"]["hops"] >= ledger["setup"]["limits"]["max_hops"]:
        raise Misfit("verdict", "the hop budget is spent")
    decision = Decision(
        reason=event.reason,
        action=event.action,
        dispatch=tuple(Dispatch(specialist=item.specialist, ask=item.ask, handles=item.handles) for item in event.dispatch),
        out_of_scope=event.out_of_scope,
    )
    verdict = judge(ledger, decision)
    if not verdict.ok or len(verdict.dispatch) != len(event.dispatch):
        raise Misfit("verdict", f"the guard says {verdict.code}")
    if any(item.specialist not in registry for item in event.dispatch):
        raise Misfit("dispatch.specialist", "is not registered any more")


def _returned(ledger: JSON, event: Returned, registry: Registry) -> JSON:
    step, claimed = step_of(ledger, event.step), event.specialist if event.specialist in registry else ""
    if step is None:
        if event.step <= ledger["counts"]["steps"]:
            return ledger
        raise Misfit("step", "was never dispatched", claimed)
    if step["specialist"] != event.specialist:
        raise Misfit("specialist", f"step {event.step} belongs to {step['specialist']}", claimed)
    done, questions = judged(step, event, registry)
    if step["status"] != "pending":
        if step["hash"] is None:
            raise Misfit("case", "is closed", claimed)
        return _unless(step["hash"] == done["hash"], ledger, f"{event.case}/s{event.step}", done["hash"])
    changed, left_out = apply.returned(ledger, done, questions)
    for item in left_out:
        full = {"specialist": item["specialist"], "field": "questions", "cause": f"{item['id']} not opened: too many are open"}
        changed = apply.noted(changed, "rejected", full)
    return changed


def _asked(ledger: JSON, event: Asked, registry: Registry) -> JSON:
    known = {item["id"] for item in ledger["questions"]}
    if any(name not in known and not _is_archived(ledger, name) for name in event.questions):
        raise Misfit("questions", "was never opened")
    return apply.asked(ledger, list(event.questions), ledger["counts"]["decisions"])


def _answered(ledger: JSON, event: Answered, registry: Registry) -> JSON:
    question = next((item for item in ledger["questions"] if item["id"] == event.question), None)
    if question is None:
        if _is_archived(ledger, event.question):
            return ledger
        raise Misfit("question", "was never opened")
    status = "lapsed" if event.lapsed else "answered"
    record = {**question, "status": status, "answer": event.text, "handle": event.handle, "after": ledger["counts"]["decisions"]}
    if question["status"] == "open":
        return apply.answered(ledger, record)
    given = [status, event.text, event.handle]
    same = given == [question[key] for key in ("status", "answer", "handle")]
    return _unless(same, ledger, f"{event.case}/{event.question}", hash_of(given))


def _is_archived(ledger: JSON, question: str) -> bool:
    return bool(ledger["archive"]) and alias_order(question)[0] <= int(ledger["archive"][-1]["upto_step"])


def _compacted(ledger: JSON, event: Compacted, registry: Registry) -> JSON:
    entry = event.model_dump(mode="json", exclude={"type", "case"})
    last: JSON = ledger["archive"][-1] if ledger["archive"] else {"upto_step": 0, "handle": None}
    if event.upto_step <= last["upto_step"]:
        same = event.upto_step < last["upto_step"] or entry == {key: last[key] for key in entry}
        return _unless(same, ledger, f"{event.case}/l{event.upto_step}", hash_of(entry))
    gone = [step for step in ledger["steps"] if step["n"] <= event.upto_step]
    left = ledger["steps"][len(gone) :]
    if not gone or gone[-1]["n"] != event.upto_step or not left or left[0]["decision"] == gone[-1]["decision"]:
        raise Misfit("upto_step", "is not the last step of a decision before the latest")
    if event.upto_decision != gone[-1]["decision"] or event.before != ledger["counts"]["decisions"] + 1:
        raise Misfit("upto_decision", "does not fit the decisions of this ledger")
    if any(step["status"] == "pending" for step in ledger["steps"]):
        raise Misfit("upto_step", "steps are still pending")
    return compacted(ledger, entry | {"previous": last["handle"]})


def _stopped(ledger: JSON, event: Stopped, registry: Registry) -> JSON:
    if ledger["reason"]:
        return _unless(ledger["reason"] == event.reason, ledger, f"{event.case}/stopped", hash_of(event.reason))
    return apply.stopped(ledger, event.reason)


def _finished(ledger: JSON, event: Finished, registry: Registry) -> JSON:
    mark = hash_of(event.model_dump(mode="json"))
    if ledger["status"] != "open":
        return _unless(ledger["closed_hash"] == mark, ledger, f"{event.case}/closed", mark)
    ledger = apply.costed(ledger, "answer", event.spent.model_dump(mode="json"))
    reason, missing = event.reason or ledger["reason"], list(event.missing)
    return apply.finished(ledger, status=event.status, reason=reason, answer=event.answer, missing=missing, at=event.at, mark=mark)


_HANDLERS: dict[type, Callable[[JSON, Any, Registry], JSON]] = {
    Decided: _decided,
    Returned: _returned,
    Asked: _asked,
    Answered: _answered,
    Compacted: _compacted,
    Stopped: _stopped,
    Finished: _finished,
}
