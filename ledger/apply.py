"""Structural transitions of a ledger: plain records in, a new ledger out, nothing validated and nothing mutated.

`fold` validates events and calls these; replay calls them with the records of a finished ledger.
"""

import re
from typing import Any

from ledger.check import hash_of
from ledger.criteria import alias_order, with_status, with_step
from ledger.events import VERSION
from ledger.view import step_of

JSON = dict[str, Any]

_NUMBERS = re.compile(r"[\d:.,/TZ-]*\d[\d:.,/TZ-]*")
MAX_OPEN_QUESTIONS = 12
MAX_SEEN = 192
MAX_FAULTS = 20
INTERRUPTED = "interrupted before it returned"


def opened(case: str, at: str, goal: str, goal_handle: str | None, criteria: list[JSON], setup: JSON, earlier: JSON | None, mark: str) -> JSON:
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
    keep = {key: item[key] for key in ("text", "owners", "source")}
    return {"id": f"c{index}", **keep, "status": "open", "evidence": [], "settled_by": [], "tried": {}, "step": None, "reason": ""}


def decided(ledger: JSON, record: JSON) -> JSON:
    """Add a decision; a legal dispatch opens its steps, a legal finish marks what no specialist covers."""
    tokens = ledger["counts"]["tokens"] + record["tokens_in"] + record["tokens_out"]
    counts = {**ledger["counts"], "decisions": record["n"], "tokens": tokens}
    steps, criteria = ledger["steps"], ledger["criteria"]
    if record["verdict"] == "ok":
        if record["action"] != "finish":
            counts["hops"] += 1
        steps = [*steps, *(pending(record["n"], sent) for sent in record["dispatch"])]
        counts["steps"] += len(record["dispatch"])
        criteria = [
            {**item, "status": "out_of_scope", "reason": record["reason"]} if item["id"] in record["out_of_scope"] else item for item in criteria
        ]
    return {**ledger, "counts": counts, "steps": steps, "criteria": criteria, "decisions": [*ledger["decisions"], record]}


def pending(decision: int, sent: JSON) -> JSON:
    """Return a step that waits for its specialist."""
    return {
        "n": sent["step"],
        "decision": decision,
        "specialist": sent["specialist"],
        "ask": sent["ask"],
        "key": ask_key(sent["specialist"], sent["ask"]),
        "handed": sent["handles"],
        "criteria": sent["criteria"],
        "status": "pending",
        "headline": "",
        "outcome": "",
        "facts": {},
        "artifacts": [],
        "settles": [],
        "questions": [],
        "cause": "",
        "echo": "",
        "spent": {},
        "hash": None,
    }


def returned(ledger: JSON, step: JSON, questions: list[JSON]) -> tuple[JSON, list[str]]:
    """Put a finished step in its place, open its questions and bring its criteria up to date.

    Returns the ledger and the ids of questions that found no room; the earliest ones stay, in whatever order steps arrive.
    """
    step = {**step, "echo": echo_key(step)}
    steps = [step if item["n"] == step["n"] else item for item in ledger["steps"]]
    listed = sorted([*ledger["questions"], *questions], key=lambda item: alias_order(item["id"]))
    left_out = [item["id"] for item in listed if item["status"] == "open"][MAX_OPEN_QUESTIONS:]
    listed = [item for item in listed if item["id"] not in left_out]
    tokens = ledger["counts"]["tokens"] + step["spent"]["tokens_in"] + step["spent"]["tokens_out"]
    ledger = {**ledger, "steps": steps, "questions": listed, "counts": {**ledger["counts"], "tokens": tokens}}
    for touched in (item for item in steps if item["n"] == step["n"] or set(item["questions"]) & set(left_out)):
        ledger = _settled(ledger, touched, waiting=_is_waiting(touched, listed))
    return ledger, left_out


def _is_waiting(step: JSON, questions: list[JSON]) -> bool:
    return step["status"] == "blocked" and any(item["step"] == step["n"] and item["status"] == "open" for item in questions)


def _settled(ledger: JSON, step: JSON, *, waiting: bool) -> JSON:
    criteria = [with_step(item, step, waiting) if item["id"] in step["criteria"] else item for item in ledger["criteria"]]
    return {**ledger, "criteria": criteria}


def asked(ledger: JSON, ids: list[str], decision: int) -> JSON:
    """Note by which decision questions were put to people."""
    return {**ledger, "questions": [{**item, "decision": decision} if item["id"] in ids else item for item in ledger["questions"]]}


def answered(ledger: JSON, record: JSON) -> JSON:
    """Close a question with its answer; one that lapsed leaves its step's criteria tried in vain."""
    questions = [record if item["id"] == record["id"] else item for item in ledger["questions"]]
    ledger = {**ledger, "questions": questions}
    step = step_of(ledger, record["step"])
    return _settled(ledger, step, waiting=False) if record["status"] == "lapsed" and step else ledger


def compacted(ledger: JSON, entry: JSON) -> JSON:
    """Fold steps and decisions up to the entry's marks into one line per specialist."""
    gone = [item for item in ledger["steps"] if item["n"] <= entry["upto_step"]]
    summaries = {item["specialist"]: item for item in ledger["summaries"]}
    seen = dict(ledger["seen"])
    for step in gone:
        summaries[step["specialist"]] = summed(summaries.get(step["specialist"]), step)
        seen[step["key"]] = [step["n"], step["status"]]
    newest = sorted(seen.items(), key=lambda item: item[1][0])[-MAX_SEEN:]
    numbers = {item["n"] for item in gone}
    return {
        **ledger,
        "steps": [item for item in ledger["steps"] if item["n"] not in numbers],
        "decisions": [item for item in ledger["decisions"] if item["n"] > entry["upto_decision"]],
        "questions": [item for item in ledger["questions"] if item["status"] == "open" or item["step"] not in numbers],
        "summaries": [summaries[name] for name in sorted(summaries)],
        "seen": dict(newest),
        "counts": {**ledger["counts"], "compactions": ledger["counts"]["compactions"] + 1},
        "archive": [entry],
    }


def summed(summary: JSON | None, step: JSON) -> JSON:
    """Add one step to its specialist's line; counts add up, so no summary is ever summarised again."""
    base = summary or {"specialist": step["specialist"], "steps": 0, "done": 0, "partial": 0, "blocked": 0, "failed": 0, "failed_steps": [], "headline": ""}
    status = step["status"] if step["status"] in ("done", "partial", "blocked") else "failed"
    failed = [*base["failed_steps"], step["n"]][-2:] if status == "failed" else base["failed_steps"]
    return {**base, "steps": base["steps"] + 1, status: base[status] + 1, "failed_steps": failed, "headline": step["headline"] or base["headline"]}


def finished(ledger: JSON, status: str, reason: str, answer: str | None, missing: list[str], at: str, mark: str) -> JSON:
    """Close the case: pending steps count as interrupted, criteria whose evidence is gone or that are open stay unsettled."""
    lost = set(missing)
    steps = [{**item, "status": "failed", "cause": INTERRUPTED} if item["status"] == "pending" else item for item in ledger["steps"]]
    criteria = [_closed_criterion(item, lost, reason) for item in ledger["criteria"]]
    if any(item["status"] == "unsettled" and item["reason"] for item in criteria) and status == "done":
        status = "stopped"
    return {
        **ledger,
        "steps": steps,
        "criteria": criteria,
        "status": status,
        "reason": reason,
        "answer": answer,
        "closed_at": at,
        "closed_hash": mark,
    }


def _closed_criterion(item: JSON, lost: set[str], reason: str) -> JSON:
    left = [alias for alias in item["evidence"] if alias not in lost]
    if item["status"] == "met" and not left:
        return {**item, "status": "unsettled", "evidence": [], "reason": "its evidence could not be read any more"}
    if item["status"] == "open":
        step = max(item["tried"].values(), default=None)
        return {**with_status(item), "status": "unsettled", "step": step, "reason": reason or "the case was closed before it was settled"}
    return {**item, "evidence": left}


def ask_key(specialist: str, ask: str) -> str:
    """Return a short key that is equal for asks that differ only in case, spacing or punctuation."""
    words = "".join(char if char.isalnum() else " " for char in ask.casefold()).split()
    return hash_of([specialist, words])[:8]


def echo_key(step: JSON) -> str:
    """Return a short key of what a step said for which criteria, numbers and dates apart: equal keys mean nothing new."""
    said = _NUMBERS.sub("#", f"{step['status']} {step['outcome'] or step['cause']}".casefold())
    return hash_of([step["specialist"], step["criteria"], said])[:8]
