"""Structural transitions of a ledger: plain records in, a new ledger out, nothing validated and nothing mutated.

`fold` validates events and calls these; replay calls them with the records of a finished ledger.
"""

from typing import Any

from ledger.criteria import alias_order, evidence_of, with_status, with_step
from ledger.events import MAX_OPEN_QUESTIONS, VERSION
from ledger.seal import canonical
from ledger.view import step_of

JSON = dict[str, Any]

MAX_FAULTS = 20
UNANSWERED: JSON = {"status": "open", "answer": "", "handle": None, "decision": None, "after": None}
"""What a question knows of its answer before anybody put it."""
INTERRUPTED = "interrupted before it returned"


def opened(*, case: str, at: str, goal: str, goal_handle: str | None, criteria: list[JSON], setup: JSON, earlier: JSON | None, mark: str) -> JSON:
    """Return the ledger of a new case."""
    return {
        "version": VERSION,
        "case": case,
        "opened_at": at,
        "opened_hash": mark,
        "goal": goal,
        "goal_handle": goal_handle,
        "setup": setup,
        "criteria": [fresh_criterion(index, item) for index, item in enumerate(criteria, 1)],
        "steps": [],
        "questions": [],
        "decisions": [],
        "summaries": [],
        "seen": {},
        "trail": [],
        "counts": {"steps": 0, "decisions": 0, "hops": 0, "compactions": 0, "tokens": 0},
        "archive": [],
        "earlier": earlier,
        "rejected": [],
        "conflicts": [],
        "spent": {},
        "status": "open",
        "reason": "",
        "answer": None,
        "closed_at": None,
        "closed_hash": None,
    }


def fresh_criterion(index: int, item: JSON) -> JSON:
    """Return an open criterion with nothing tried yet."""
    keep = {key: item[key] for key in ("text", "owners", "source", "candidates")}
    return {"id": f"c{index}", **keep, "status": "open", "sent": 0, "evidence": [], "settled_by": {}, "tried": {}, "step": None, "reason": ""}


def fresh_question(step: JSON, index: int, item: JSON) -> JSON:
    """Return an open question; it knows its step's specialist and criteria, because it may outlive the step in the ledger."""
    known = {"step": step["n"], "specialist": step["specialist"], "criteria": step["criteria"], "text": item["text"], "to": item["to"]}
    name = f"q{step['n']}" + (f".{index}" if index > 1 else "")
    return {"id": name, **known, **UNANSWERED}


def costed(ledger: JSON, part: str, spent: JSON) -> JSON:
    """Add what intake or the answer used."""
    tokens = ledger["counts"]["tokens"] + spent["tokens_in"] + spent["tokens_out"]
    return {**ledger, "counts": {**ledger["counts"], "tokens": tokens}, "spent": {**ledger["spent"], part: spent}}


def decided(ledger: JSON, record: JSON, fresh: list[JSON]) -> JSON:
    """Add a decision; a legal dispatch opens its fresh steps, a legal finish marks what no specialist covers."""
    tokens = ledger["counts"]["tokens"] + record["tokens_in"] + record["tokens_out"]
    counts = {**ledger["counts"], "decisions": record["n"], "tokens": tokens}
    steps, criteria = ledger["steps"], ledger["criteria"]
    if record["verdict"] == "ok":
        if record["action"] != "finish":
            counts["hops"] += 1
        counts["steps"] += len(fresh)
        steps = [*steps, *fresh]
        sent = [name for step in fresh for name in step["criteria"]]
        criteria = [item | {"sent": item["sent"] + sent.count(item["id"])} for item in criteria]
        outside = {"status": "out_of_scope", "reason": record["reason"]}
        criteria = [item | outside if item["id"] in record["out_of_scope"] else item for item in criteria]
    return {**ledger, "counts": counts, "steps": steps, "criteria": criteria, "decisions": [*ledger["decisions"], record]}


def pending(*, n: int, decision: int, specialist: str, ask: str, handed: list[str], criteria: list[str]) -> JSON:
    """Return a step that waits for its specialist."""
    return {
        "n": n,
        "decision": decision,
        "specialist": specialist,
        "ask": ask,
        "handed": handed,
        "criteria": criteria,
        "status": "pending",
        "headline": "",
        "outcome": "",
        "facts": {},
        "artifacts": [],
        "settles": [],
        "questions": [],
        "cause": "",
        "spent": {},
        "hash": None,
    }


def returned(ledger: JSON, step: JSON, questions: list[JSON]) -> tuple[JSON, list[JSON]]:
    """Put a finished step in its place, open its questions and bring its criteria up to date.

    Returns the ledger and the questions that found no room; the earliest ones stay, in whatever order steps arrive.
    """
    steps = [step if item["n"] == step["n"] else item for item in ledger["steps"]]
    listed = sorted([*ledger["questions"], *questions], key=lambda item: alias_order(item["id"]))
    left_out = [item for item in listed if item["status"] == "open"][MAX_OPEN_QUESTIONS:]
    listed = [item for item in listed if item not in left_out]
    tokens = ledger["counts"]["tokens"] + step["spent"]["tokens_in"] + step["spent"]["tokens_out"]
    ledger = {**ledger, "steps": steps, "questions": listed, "counts": {**ledger["counts"], "tokens": tokens}}
    for n in dict.fromkeys([step["n"], *(item["step"] for item in left_out)]):
        if touched := step_of(ledger, n):
            ledger = _settled(ledger, touched, waiting=_is_waiting(touched, listed))
    return ledger, left_out


def _is_waiting(step: JSON, questions: list[JSON]) -> bool:
    return step["status"] == "blocked" and any(item["step"] == step["n"] and item["status"] == "open" for item in questions)


def _settled(ledger: JSON, step: JSON, *, waiting: bool) -> JSON:
    criteria = [with_step(item, step, waiting) if item["id"] in step["criteria"] else item for item in ledger["criteria"]]
    return {**ledger, "criteria": criteria}


def asked(ledger: JSON, ids: list[str], decision: int) -> JSON:
    """Note by which decision questions were first put to people."""
    questions = [item | {"decision": decision} if item["id"] in ids and item["decision"] is None else item for item in ledger["questions"]]
    return ledger if questions == ledger["questions"] else {**ledger, "questions": questions}


def answered(ledger: JSON, record: JSON) -> JSON:
    """Close a question with its answer; a step whose questions all lapsed has tried its criteria in vain."""
    questions = [record if item["id"] == record["id"] else item for item in ledger["questions"]]
    ledger = {**ledger, "questions": questions}
    if any(item["step"] == record["step"] and item["status"] != "lapsed" for item in questions):
        return ledger
    step = {
        "n": record["step"],
        "specialist": record["specialist"],
        "criteria": record["criteria"],
        "status": "blocked",
        "settles": [],
        "artifacts": [],
    }
    return _settled(ledger, step, waiting=False)


def stopped(ledger: JSON, reason: str) -> JSON:
    """Note why the case will end before its criteria are settled."""
    return {**ledger, "reason": reason}


def finished(ledger: JSON, *, status: str, reason: str, answer: str | None, missing: list[str], at: str, mark: str) -> JSON:
    """Close the case: pending steps count as interrupted, criteria whose evidence is gone or that are open stay unsettled."""
    lost = set(missing)
    steps = [{**item, "status": "failed", "cause": INTERRUPTED} if item["status"] == "pending" else item for item in ledger["steps"]]
    criteria = [_closed_criterion(item, lost, reason) for item in ledger["criteria"]]
    if any(item["status"] == "unsettled" and item["reason"] for item in criteria):
        status = "stopped"
    closed = {"status": status, "reason": reason, "answer": answer, "closed_at": at, "closed_hash": mark}
    return {**ledger, "steps": steps, "criteria": criteria, **closed}


def _closed_criterion(item: JSON, lost: set[str], reason: str) -> JSON:
    readable = {name: [alias for alias in aliases if alias not in lost] for name, aliases in item["settled_by"].items()}
    settled_by = {name: aliases for name, aliases in readable.items() if aliases}
    was_met, item = item["status"] == "met", {**item, "settled_by": settled_by, "evidence": evidence_of(settled_by)}
    if was_met and with_status(item)["status"] != "met":
        return {**item, "status": "unsettled", "reason": "its evidence could not be read any more"}
    if item["status"] == "open":
        step = max(item["tried"].values(), default=None)
        return {**with_status(item), "status": "unsettled", "step": step, "reason": reason or "the case was closed before it was settled"}
    return item


def noted(ledger: JSON, where: str, record: JSON) -> JSON:
    """Note a fault; the list is bounded and does not depend on the order of arrival."""
    if not ledger:
        return ledger
    notes = {canonical(item): item for item in [*ledger[where], record]}
    kept = [notes[key] for key in sorted(notes)[:MAX_FAULTS]]
    return ledger if kept == ledger[where] else {**ledger, where: kept}
