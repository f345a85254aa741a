"""What a router's reply says, read strictly first and mended second; nothing is guessed, and nothing here raises."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from agents.model.faults import Fault
from agents.model.names import AGAINST, Unreadable, aliases_of, is_finish, meant, names_in, speaks_against, specialist_of, words_of
from agents.model.objects import first_value, text_of, tool_calls, values, without_thoughts
from contracts.decision import ASK, MAX_DISPATCH, REASON, Action, Decision, Dispatch
from contracts.text import one_line

_ROUTING = re.compile(r"\b(?:pass|route|hand|transfer|send|dispatch|forward|delegate|consult|refer|assign|next|specialist)\w*\b", re.I)
_TALK = frozenset("answer response reply message text content output final_answer".split())
_WRAPPERS = ("decision", "arguments", "parameters", "args", "input")


@dataclass(frozen=True, slots=True)
class Choice:
    """One dispatch as the reply gave it; `ask` is None where it only named a specialist."""

    specialist: str
    ask: str | None = None
    handles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says: a decision, or the one fault that kept it from being one."""

    fault: Fault | None = None
    detail: str = ""
    action: Action | None = None
    reason: str = ""
    dispatch: tuple[Choice, ...] = ()
    out_of_scope: tuple[str, ...] = ()

    def decision(self, ask_for: Callable[[str], str]) -> Decision:
        """Return the decision; `ask_for(specialist)` words an ask from the open criteria where the reply gave none.

        Raises:
            ValueError: The reading holds a fault.
        """
        if self.fault is not None or self.action is None:
            raise ValueError(f"no decision was read: {self.fault}")
        asks = [item.ask or ASK.cut(ask_for(item.specialist)) for item in self.dispatch]
        work = tuple(Dispatch(specialist=item.specialist, ask=ask, handles=item.handles) for item, ask in zip(self.dispatch, asks, strict=True))
        return Decision(reason=self.reason, action=self.action, dispatch=work, out_of_scope=self.out_of_scope)


def read_decision(reply: Any, roster: Sequence[str]) -> Reading:
    """Read a message or text as a decision about specialists in `roster`; anything else is a named fault."""
    beside = ""
    try:
        if calls := tool_calls(reply):
            reading = _fan_out([_called(name, arguments, roster) for name, arguments in calls])
            with suppress(Unreadable):
                beside = without_thoughts(text_of(reply))
            if AGAINST.search(beside):
                raise Unreadable(Fault.AMBIGUOUS, "the words beside the tool call speak against it")
            return reading
        return _read(without_thoughts(text_of(reply)), roster)
    except Unreadable as wrong:
        return Reading(fault=wrong.fault, detail=one_line(wrong.detail))


def _read(text: str, roster: Sequence[str]) -> Reading:
    readings: list[Reading] = []
    passed_over, found, rest = None, list(values(text)), text
    bounds = [0, *(end for _, _, end in found)], [*(start for _, start, _ in found), len(text)]
    gaps = [text[end:start] for end, start in zip(*bounds, strict=True)]
    for number, (value, start, end) in enumerate(found):
        if isinstance(value, str):
            return _name_alone(value, roster)
        try:
            reading = _work(value, roster) if isinstance(value, list) else _interpret(value, roster)
        except Unreadable as wrong:
            if wrong.fault not in (Fault.WRONG_KEY, Fault.ANSWERED_ITSELF):
                raise
            passed_over = passed_over or wrong
            continue
        if speaks_against(gaps[number], gaps[number + 1]):
            raise Unreadable(Fault.AMBIGUOUS, "the words around the object speak against it")
        readings.append(reading)
        rest = rest[:start] + " " * (end - start) + rest[end:]
    if not readings:
        if passed_over is not None:
            raise passed_over
        return _name_alone(text, roster)
    if any(reading != readings[0] for reading in readings):
        raise Unreadable(Fault.AMBIGUOUS, "several different decisions")
    if names_in(rest, roster) - _meaning(readings[0]):
        raise Unreadable(Fault.AMBIGUOUS, "the words around the object name somebody else")
    return readings[0]


def _name_alone(text: str, roster: Sequence[str]) -> Reading:
    """Read a reply without an object: a name alone counts, a name with anything said around it does not."""
    if is_finish(text):
        return Reading(action=Action.FINISH)
    try:
        return Reading(action=Action.DISPATCH, dispatch=(Choice(specialist_of(text, roster)),))
    except Unreadable as wrong:
        if "{" in text:
            raise Unreadable(Fault.MALFORMED, "the object cannot be read") from None
        words = len(text.split())
        named = bool(names_in(text, roster))
        if wrong.fault is not Fault.UNKNOWN_SPECIALIST or (words <= 3 and len(text) <= 80 and not (named and words > 1)):
            raise
        raise Unreadable(Fault.PROSE if (named or _ROUTING.search(text)) and words <= 40 else Fault.ANSWERED_ITSELF, text) from None


def _called(name: Any, arguments: Any, roster: Sequence[str]) -> Reading:
    """Read one tool call: of the decision tool, or of a tool named like a specialist."""
    found = first_value(arguments)
    if not isinstance(found, Mapping):
        raise Unreadable(Fault.MALFORMED, "the arguments of a tool call are not an object")
    try:
        who = specialist_of(name, roster)
    except Unreadable:
        reading = Reading(action=Action.FINISH) if is_finish(name) and not found else _interpret(found, roster)
        return _agreed(reading, {"next": name}, roster) if is_finish(name) else reading
    return _agreed(_work([{**found, "specialist": who}], roster), found, roster)


def _fan_out(readings: list[Reading]) -> Reading:
    """Join the tool calls of one reply: dispatches become one fan-out, and other actions must agree."""
    first = readings[0]
    if all(reading.action is Action.DISPATCH for reading in readings):
        scope = tuple(dict.fromkeys(name for reading in readings for name in reading.out_of_scope))
        return replace(first, dispatch=_bounded(choice for reading in readings for choice in reading.dispatch), out_of_scope=scope)
    if any(reading != first for reading in readings):
        raise Unreadable(Fault.AMBIGUOUS, "several different decisions")
    return first


def _meaning(reading: Reading) -> set[str]:
    return {choice.specialist for choice in reading.dispatch} or {str(reading.action)}


def _agreed(reading: Reading, found: Mapping[str, Any], roster: Sequence[str], depth: int = 0) -> Reading:
    """Return `reading` if everything in `found` that names somebody or ends the case means the same."""
    stated = [items if isinstance(items, list) else [items] for key in ("next", "specialist", "dispatch") if (items := found.get(key))]
    stated += [[found["action"]]] if is_finish(found.get("action")) else []
    stated += [[found["name"]]] if meant(found.get("name"), roster) else []
    if any({meant(item, roster) for item in items} != _meaning(reading) for items in stated):
        raise Unreadable(Fault.AMBIGUOUS, "one object means several things")
    for key in _WRAPPERS:
        if depth < 3 and isinstance(inner := first_value(found.get(key)), Mapping):
            _agreed(reading, inner, roster, depth + 1)
    return reading


def _interpret(found: Any, roster: Sequence[str], depth: int = 0) -> Reading:
    if not isinstance(found, Mapping):
        raise Unreadable(Fault.MALFORMED, "not an object")
    return _agreed(_stated(found, roster, depth), found, roster)


def _stated(found: Mapping[str, Any], roster: Sequence[str], depth: int) -> Reading:
    if found.keys() & {"action", "dispatch"}:
        return _official(found, roster)
    if "next" in found:
        return _work(found["next"], roster, found)
    if "specialist" in found:
        return _work([found], roster, found)
    for key in _WRAPPERS:
        if depth < 3 and isinstance(inner := first_value(found.get(key)), Mapping):
            named = depth == 0 and isinstance(found.get("name"), str)
            return _called(found["name"], inner, roster) if named else _interpret(inner, roster, depth + 1)
    talk = found.keys() & _TALK and not any(is_finish(value) or value in roster for value in found.values() if isinstance(value, str))
    raise Unreadable(Fault.ANSWERED_ITSELF if talk else Fault.WRONG_KEY, "keys " + ", ".join(sorted(map(str, found))[:6]))


def _official(found: Mapping[str, Any], roster: Sequence[str]) -> Reading:
    work, action = found.get("dispatch"), found.get("action", "dispatch")
    meant = "finish" if is_finish(action) else action.strip().lower() if isinstance(action, str) else ""
    if meant not in set(Action):
        raise Unreadable(Fault.UNKNOWN_ACTION, str(action))
    scope = tuple(dict.fromkeys(name for name in map(str.lower, words_of(found.get("out_of_scope"))) if re.fullmatch(r"c[1-9][0-9]?", name)))[:12]
    if meant == Action.DISPATCH:
        return replace(_work(work, roster, found), out_of_scope=scope)
    if work:
        raise Unreadable(Fault.CONTRADICTION, f"action {meant} together with a dispatch")
    return Reading(action=Action(meant), reason=_reason(found), out_of_scope=scope)


def _work(items: Any, roster: Sequence[str], around: Mapping[str, Any] | None = None) -> Reading:
    """Read one or several dispatches, given as objects or as mere names with the ask beside them."""
    around, items = around or {}, items if isinstance(items, list) else [items]
    if len(items) == 1 and is_finish(items[0]):
        return Reading(action=Action.FINISH, reason=_reason(around))
    choices = []
    for item in items:
        found = item if isinstance(item, Mapping) else {**around, "specialist": item}
        if "specialist" not in found:
            raise Unreadable(Fault.WRONG_KEY, "dispatch keys " + ", ".join(sorted(map(str, found))[:6]))
        ask = found.get("ask")
        choice = Choice(specialist_of(found["specialist"], roster), (ASK.cut(ask) or None) if isinstance(ask, str) else None, aliases_of(found))
        if found is item:
            _agreed(Reading(action=Action.DISPATCH, dispatch=(choice,)), found, roster)
        choices.append(choice)
    if not choices:
        raise Unreadable(Fault.NO_CHOICE, "dispatch names nobody")
    return Reading(action=Action.DISPATCH, reason=_reason(around), dispatch=_bounded(choices))


def _bounded(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    kept = tuple(dict.fromkeys(choices))
    if len(kept) > MAX_DISPATCH:
        raise Unreadable(Fault.CONTRADICTION, f"over {MAX_DISPATCH} dispatches at once")
    return kept


def _reason(found: Mapping[str, Any]) -> str:
    return REASON.cut(found["reason"]) if isinstance(found.get("reason"), str) else ""
