"""What one object or tool call of a reply states; an object that says two things says neither, and nothing is guessed."""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.model.faults import Fault
from agents.model.names import Unreadable, aliases_of, is_finish, meant, specialist_of, words_of
from agents.model.objects import nested, opened
from agents.model.prose import doubt_in
from contracts.decision import ASK, MAX_DISPATCH, REASON, Action, Decision, Dispatch
from contracts.returns import MAX_CRITERIA

_TALK = frozenset("answer response reply message text content output final_answer".split())
_WRAPPERS = ("decision", "arguments", "parameters", "args", "input", "function")
FREE = frozenset("reason ask out_of_scope handles thought thoughts thinking reasoning analysis rationale explanation".split())
"""Keys under which a reply may say whatever it likes: nothing there dispatches, and nothing there speaks against a dispatch."""

_KEYS = FREE.union(_WRAPPERS, ("action", "dispatch", "next", "specialist", "name"))


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


def called(name: Any, arguments: Any, roster: Sequence[str], depth: int = 0) -> Reading:
    """Read one tool call: of the decision tool, or of a tool named like a specialist."""
    found, who = opened(arguments), meant(name, roster)
    if not isinstance(found, Mapping):
        raise Unreadable(Fault.MALFORMED, "the arguments of a tool call are not an object")
    if who and who != Action.FINISH:
        return _agreed(work_of([{**found, "specialist": who}], roster), found, roster)
    reading = Reading(action=Action.FINISH) if who and not found else interpreted(found, roster, depth)
    return _agreed(reading, {"next" if who else "name": name}, roster)


def meaning(reading: Reading) -> set[str]:
    """Return whom a reading dispatches, else what it does."""
    return {choice.specialist for choice in reading.dispatch} or {str(reading.action)}


def undoubted(reading: Reading, words: str, roster: Sequence[str]) -> Reading:
    """Return `reading` if nothing in `words` keeps it from being unambiguous."""
    if doubt := doubt_in(words, meaning(reading), roster):
        raise Unreadable(Fault.AMBIGUOUS, doubt)
    return reading


def remarks(parts: Iterable[Any], said: Container[Any] = ()) -> str:
    """Return what the parts of an object say: keys that no form of a decision has, texts and switches, without what is `said` already."""
    found: list[str] = []
    for part in parts:
        if isinstance(part, Mapping):
            found += [str(key) for key, item in part.items() if item and key not in _KEYS]
        elif isinstance(part, str | bool) and part not in said:
            found.append(str(part))
    return "\n".join(found)


def _agreed(reading: Reading, found: Mapping[str, Any], roster: Sequence[str]) -> Reading:
    """Return `reading` if all that `found` says beside it, however deep, is silent or means the same."""
    parts = list(nested(found, FREE))
    if not all(_fits(part, reading, roster) for part in parts if isinstance(part, Mapping)):
        raise Unreadable(Fault.AMBIGUOUS, "one object means several things")
    return undoubted(reading, remarks(parts, {reading.action, *meaning(reading)}), roster)


def _fits(found: Mapping[str, Any], reading: Reading, roster: Sequence[str]) -> bool:
    """Say whether the choices that `found` states are those of `reading`."""
    named = meaning(reading)
    stated = [items if isinstance(items, list) else [items] for key in ("next", "dispatch") if (items := found.get(key))]
    if any({meant(item, roster) for item in items} != named for items in stated):
        return False
    action = found.get("action")
    return (not action or _action(action) == reading.action) and (not found.get("specialist") or meant(found, roster) in named)


def _action(value: Any) -> str:
    return Action.FINISH if is_finish(value) else value.strip().lower() if isinstance(value, str) else ""


def interpreted(found: Any, roster: Sequence[str], depth: int = 0) -> Reading:
    """Read one object as a decision, in the schema's own form or in one that models use for it."""
    if not isinstance(found, Mapping):
        raise Unreadable(Fault.MALFORMED, "not an object")
    return _agreed(_stated(found, roster, depth), found, roster)


def _stated(found: Mapping[str, Any], roster: Sequence[str], depth: int) -> Reading:
    if found.keys() & {"action", "dispatch"}:
        return _official(found, roster)
    if "next" in found:
        return one_each(work_of(found["next"], roster, found))
    if "specialist" in found:
        return work_of([found], roster, found)
    for key in _WRAPPERS:
        if depth < 3 and isinstance(inner := opened(found.get(key)), Mapping):
            named = isinstance(found.get("name"), str)
            return called(found["name"], inner, roster, depth + 1) if named else interpreted(inner, roster, depth + 1)
    talk = found.keys() & _TALK and not any(is_finish(value) or value in roster for value in found.values() if isinstance(value, str))
    raise Unreadable(Fault.ANSWERED_ITSELF if talk else Fault.WRONG_KEY, "keys " + ", ".join(sorted(map(str, found))[:6]))


def _official(found: Mapping[str, Any], roster: Sequence[str]) -> Reading:
    work, action = found.get("dispatch"), found.get("action", "dispatch")
    does = _action(action)
    if does not in set(Action):
        raise Unreadable(Fault.UNKNOWN_ACTION, str(action))
    named = (name for name in map(str.lower, words_of(found.get("out_of_scope"))) if re.fullmatch(r"c[1-9][0-9]?", name))
    scope = tuple(dict.fromkeys(named))[:MAX_CRITERIA]
    if does == Action.DISPATCH:
        return replace(work_of(work, roster, found), out_of_scope=scope)
    if work:
        raise Unreadable(Fault.CONTRADICTION, f"action {does} together with a dispatch")
    return Reading(action=Action(does), reason=_reason(found), out_of_scope=scope)


def work_of(items: Any, roster: Sequence[str], around: Mapping[str, Any] | None = None) -> Reading:
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
    return Reading(action=Action.DISPATCH, reason=_reason(around), dispatch=distinct(choices))


def one_each(reading: Reading) -> Reading:
    """Return `reading`, unless it lists several names without work for each: those may be alternatives."""
    if len(meaning(reading)) > 1 and not all(choice.ask for choice in reading.dispatch):
        raise Unreadable(Fault.AMBIGUOUS, "several names without an ask for each")
    return reading


def distinct(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    """Return the dispatches of one fan-out, each once."""
    kept = tuple(dict.fromkeys(choices))
    if len(kept) > MAX_DISPATCH:
        raise Unreadable(Fault.CONTRADICTION, f"over {MAX_DISPATCH} dispatches at once")
    return kept


def _reason(found: Mapping[str, Any]) -> str:
    return REASON.cut(found["reason"]) if isinstance(found.get("reason"), str) else ""
