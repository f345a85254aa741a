"""What a router's reply says, read strictly first and mended second; nothing is guessed, and nothing here raises."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agents.model.faults import Fault
from agents.model.names import Unreadable, is_finish, names_in, specialist_of
from agents.model.objects import nested, parted, text_of, tool_calls, without_thoughts
from agents.model.stated import FREE, Choice, Reading, called, distinct, interpreted, meaning, one_each, remarks, undoubted, work_of
from contracts.decision import Action
from contracts.text import one_line

_ROUTING = re.compile(r"\b(?:pass|route|hand|transfer|send|dispatch|forward|delegate|consult|refer|assign|next|specialist)\w*\b", re.I)


def read_decision(reply: Any, roster: Sequence[str]) -> Reading:
    """Read a message or text as a decision about specialists in `roster`; anything else is a named fault.

    One law for tool calls, objects and what is said around or inside them: the decision counts when all the rest is silent or means the same.
    """
    try:
        calls = tool_calls(reply)
        tool = _fan_out([called(name, arguments, roster) for name, arguments in calls]) if calls else None
        try:
            text = without_thoughts(text_of(reply))
        except Unreadable as wrong:
            if tool is None or wrong.fault is not Fault.EMPTY:
                raise
            return tool
        return _read(text, roster, tool)
    except Unreadable as wrong:
        return Reading(fault=wrong.fault, detail=one_line(wrong.detail))


def _read(text: str, roster: Sequence[str], tool: Reading | None) -> Reading:
    """Read the objects in a text, and the words around them, beside what the tool calls say."""
    readings, passed_over, aside = [], None, ""
    found, words = parted(text)
    for value in found:
        try:
            readings.append(one_each(work_of(value, roster)) if isinstance(value, list) else interpreted(value, roster))
        except Unreadable as wrong:
            if wrong.fault not in (Fault.WRONG_KEY, Fault.ANSWERED_ITSELF):
                raise
            passed_over = passed_over or wrong
            aside += "\n" + remarks(nested(value, FREE))
    chosen = tool or next(iter(readings), None)
    if chosen is None:
        if passed_over is not None:
            raise passed_over
        return _name_alone(text, roster)
    if any(meaning(reading) != meaning(chosen) if tool else reading != chosen for reading in readings):
        raise Unreadable(Fault.AMBIGUOUS, "several different decisions")
    return undoubted(undoubted(chosen, words, roster), aside, roster)


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


def _fan_out(readings: list[Reading]) -> Reading:
    """Join the tool calls of one reply: dispatches become one fan-out, and other actions must agree."""
    first = readings[0]
    if all(reading.action is Action.DISPATCH for reading in readings):
        scope = tuple(dict.fromkeys(name for reading in readings for name in reading.out_of_scope))
        return replace(first, dispatch=distinct(choice for reading in readings for choice in reading.dispatch), out_of_scope=scope)
    if any(reading != first for reading in readings):
        raise Unreadable(Fault.AMBIGUOUS, "several different decisions")
    return first
