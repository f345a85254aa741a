"""The guard: judge a decision against the ledger before anything moves. Pure; text persuades nobody here."""

from collections.abc import Iterable
from typing import Any

from contracts.decision import Action, Decision, Dispatch
from contracts.registry import START
from ledger.criteria import alias_order, targets, unnamed
from ledger.keys import ask_key, echo_key
from ledger.verdict import Verdict
from ledger.view import known_aliases, latest_steps, open_criteria, open_questions, refused_in_a_row, roster_names

JSON = dict[str, Any]
MAX_PERIOD = 6
SEEN = ("n", "decision", "status", "times", "handed")
"""What compaction keeps of each archived ask, by its key."""
TRAILED = ("n", "specialist", "criteria", "questions", "echo")
"""What compaction keeps of the last archived steps."""


def judge(ledger: JSON, decision: Decision) -> Verdict:
    """Judge one decision: names, handles, edges, repeats, cycles, stalls, unmet criteria, open questions."""
    if decision.action is Action.DISPATCH:
        return _judge_dispatch(ledger, decision)
    if decision.dispatch:
        return Verdict("contradiction", f"{decision.action} takes an empty dispatch list")
    if decision.action is Action.ASK:
        return Verdict("ok") if open_questions(ledger) else Verdict("nothing_to_ask", "no question is open")
    return _judge_finish(ledger, decision)


def over_budget(ledger: JSON, seconds: float = 0.0) -> str:
    """Return which budget of the case is spent, or an empty string; `seconds` is the case's age."""
    limits, counts = ledger["setup"]["limits"], ledger["counts"]
    if ledger["reason"]:
        return str(ledger["reason"])
    if counts["hops"] >= limits["max_hops"]:
        return f"the hop budget of {limits['max_hops']} is spent"
    if limits["max_tokens"] and counts["tokens"] >= limits["max_tokens"]:
        return f"the token budget of {limits['max_tokens']} is spent"
    if limits["max_seconds"] and seconds >= limits["max_seconds"]:
        return f"the time budget of {limits['max_seconds']:g} s is spent"
    if refused_in_a_row(ledger["decisions"]) >= limits["patience"]:
        return f"the router's last {limits['patience']} decisions were refused: {ledger['decisions'][-1]['verdict']}"
    return ""


def legal_moves(ledger: JSON) -> int:
    """Count the moves that are open now: specialists that may follow, plus ask and finish where they are legal."""
    before = {step["specialist"] for step in latest_steps(ledger)} or {START}
    names = sum(line["after"] is None or bool(before & set(line["after"])) for line in ledger["setup"]["roster"])
    return names + bool(open_questions(ledger)) + (not open_criteria(ledger) and not open_questions(ledger))


def difficulty(ledger: JSON) -> int:
    """Return how hard the choice is: open criteria + open questions + legal moves."""
    return len(open_criteria(ledger)) + len(open_questions(ledger)) + legal_moves(ledger)


def _judge_dispatch(ledger: JSON, decision: Decision) -> Verdict:
    chosen = {ask_key(item.specialist, item.ask): item for item in reversed(decision.dispatch)}
    unique = tuple(item for item in decision.dispatch if chosen[ask_key(item.specialist, item.ask)] is item)
    if decision.out_of_scope:
        return Verdict("contradiction", "out_of_scope goes with finish only")
    if not unique:
        return Verdict("empty_dispatch", "dispatch names nobody")
    if len(unique) > (most := ledger["setup"]["limits"]["max_parallel"]):
        return Verdict("too_many", f"dispatch at most {most} at once")
    reasons = []
    for item in unique:
        verdict = _judge_one(ledger, item)
        if not verdict.ok:
            return verdict
        reasons.append(verdict.justified)
    if _stalled(ledger) and not any(reasons):
        return Verdict("no_progress", "the last steps brought nothing new: finish, or ask")
    return Verdict("ok", dispatch=unique, justified="; ".join(filter(None, reasons))[:80])


def _judge_one(ledger: JSON, item: Dispatch) -> Verdict:
    names = roster_names(ledger)
    if item.specialist not in names:
        return Verdict("unknown_specialist", f"choose from: {', '.join(names)}")
    if unknown := [alias for alias in item.handles if alias not in known_aliases(ledger)]:
        return Verdict("unknown_handle", f"no such handle in this case: {', '.join(unknown)}")
    line = ledger["setup"]["roster"][names.index(item.specialist)]
    before = {step["specialist"] for step in latest_steps(ledger)} or {START}
    if line["after"] is not None and not before & set(line["after"]):
        return Verdict("not_allowed", f"{item.specialist} may only follow {', '.join(line['after']) or 'nobody'}")
    if several := unnamed(ledger["criteria"], item.specialist, item.ask):
        return Verdict("no_criterion", f"name in the ask which it is for: {_listed(several)}")
    earlier = _earlier(ledger, item)
    if not earlier:
        return _echoes(ledger, item)
    if reason := _justified(ledger, item, earlier):
        return Verdict("ok", justified=reason)
    return Verdict("repeat", f"{item.specialist} was asked this in step {earlier[-1]['n']} and nothing relevant is new")


def _earlier(ledger: JSON, item: Dispatch) -> list[JSON]:
    """Return the steps with the same ask, from state and from what compaction kept of archived ones."""
    key = ask_key(item.specialist, item.ask)
    old = [dict(zip(SEEN, ledger["seen"][key], strict=True))] if key in ledger["seen"] else []
    return old + [step for step in ledger["steps"] if ask_key(step["specialist"], step["ask"]) == key]


def _justified(ledger: JSON, item: Dispatch, earlier: list[JSON]) -> str:
    """Return what is new for this ask since it was last made; results that merely differ are not."""
    last = earlier[-1]
    for question in ledger["questions"]:
        if question["step"] == last["n"] and question["status"] == "answered":
            return f"answered {question['id']}"
    known = {alias for step in earlier for alias in step["handed"]}
    beside = {step["n"] for step in ledger["steps"] if step["decision"] == last["decision"] and step["n"] != last["n"]}
    for alias in item.handles:
        number = alias_order(alias)[0]
        if alias not in known and (alias[0] != "A" or number > last["n"] or number in beside):
            return f"new {alias}"
    times = sum(step.get("times", 1) for step in earlier)
    if last["status"] in ("failed", "rejected") and times <= ledger["setup"]["limits"]["retries"]:
        return f"retry of failed step {last['n']}"
    return ""


def _echoes(ledger: JSON, item: Dispatch) -> Verdict:
    """Refuse a reworded ask whose specialist already said the same twice for the same criteria, and short cycles of such."""
    wanted = targets(ledger["criteria"], item.specialist, item.ask)
    steps = _said(ledger)
    same = [step for step in steps if step["specialist"] == item.specialist and step["criteria"] == wanted]
    if len(same) >= 2 and same[-1]["echo"] == same[-2]["echo"] and not _answered_since(ledger, same[-1]):
        return Verdict("no_progress", f"{item.specialist} said the same in steps {same[-2]['n']} and {same[-1]['n']}")
    said = [step["echo"] for step in steps]
    for period in range(2, MAX_PERIOD + 1):
        if said and said[-period:] == said[-2 * period : -period] and steps[-period]["specialist"] == item.specialist:
            return Verdict("cycle", f"the last {period} steps repeat the {period} before them")
    return Verdict("ok")


def _said(ledger: JSON) -> list[JSON]:
    """Return the steps, archived ones of late too, each with the key of what it said."""
    return [*(dict(zip(TRAILED, item, strict=True)) for item in ledger["trail"]), *({**step, "echo": echo_key(step)} for step in ledger["steps"])]


def _answered_since(ledger: JSON, step: JSON) -> bool:
    return any(item["step"] == step["n"] and item["status"] == "answered" for item in ledger["questions"])


def _stalled(ledger: JSON) -> bool:
    """Say whether the last `stall` steps all repeated something that their specialist had said before."""
    steps, most = _said(ledger), ledger["setup"]["limits"]["stall"]
    return len(steps) > most and all(_is_echo(steps, index) for index in range(len(steps) - most, len(steps)))


def _is_echo(steps: list[JSON], index: int) -> bool:
    step = steps[index]
    if step["questions"]:
        return False
    return any(other["echo"] == step["echo"] for other in steps[:index])


def _judge_finish(ledger: JSON, decision: Decision) -> Verdict:
    waived = set(decision.out_of_scope)
    by_id = {item["id"]: item for item in ledger["criteria"]}
    if wrong := sorted(waived - set(by_id)):
        return Verdict("unknown_criterion", f"no such criterion: {', '.join(wrong)}")
    for name in sorted(waived):
        item = by_id[name]
        if covered := item["owners"] or item["candidates"]:
            return Verdict("not_out_of_scope", f"{name} belongs to {', '.join(covered)}: dispatch it")
        if item["status"] != "open" or item["sent"]:
            return Verdict("not_out_of_scope", f"{name} was worked on: it is {item['status']}")
    if left := [item["id"] for item in open_criteria(ledger) if item["id"] not in waived]:
        return Verdict("premature_finish", f"still open: {_listed(left)}; dispatch them, or name in out_of_scope what no specialist covers")
    if questions := open_questions(ledger):
        return Verdict("open_questions", f"ask first: {_listed(item['id'] for item in questions)}")
    return Verdict("ok")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
