"""The situation that a router's prompt tells, read back from it by position.

Only a line's own grammar at column 0 counts: what came from outside stands between double quotes on one line and cannot end them.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from contracts.handles import ALIAS

_NAME = r"[a-z][a-z0-9_-]{0,63}"
_ROSTER = re.compile(rf"- ({_NAME}): (.*)")
_GOAL = re.compile(r'GOAL (?:\([^"]*\) )?(".*")…?', re.S)
_CRITERION = re.compile(rf'(c[1-9][0-9]?) ({_NAME}(?:\+{_NAME})*) "([^"]*)"')
_STATUS = "(pending|done|partial|blocked|failed|rejected)"
_STEP = re.compile(rf'(\d+) ({_NAME}) {_STATUS} "[^"]*"([^"]*)')
_LATEST = re.compile(rf'(\d+) ({_NAME}) {_STATUS} asked "((?:(?:, )?c[1-9][0-9]?)*)[^"]*"(.*)')
_STATE = re.compile(rf"(c[1-9][0-9]?) (open|met|unsettled|out_of_scope)(?: ({_NAME}(?:\+{_NAME})*)| step \d+)?")
_ANSWER = re.compile(r'q[1-9][0-9]* ".*')
_SECTIONS = ("CRITERIA", "STEPS", "NOW", "QUESTIONS", "ANSWERS", "LATEST", "REFUSED", "LEFT")


@dataclass(frozen=True, slots=True)
class Criterion:
    """What must be settled, and how far it is."""

    id: str
    owners: tuple[str, ...]
    """Empty when nobody was named."""
    text: str
    status: str = "open"
    missing: tuple[str, ...] = ()
    """Owners that have not settled it yet, where the prompt says so."""


@dataclass(frozen=True, slots=True)
class Step:
    """Finished work: one line of it, or of the last turn."""

    n: int
    specialist: str
    status: str
    artifacts: tuple[str, ...]
    criteria: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that the offline router decides from."""

    roster: dict[str, str] = field(default_factory=dict)
    goal: str = ""
    criteria: tuple[Criterion, ...] = ()
    steps: tuple[Step, ...] = ()
    questions: bool = False
    """Whether a question waits for a person."""
    answered: bool | None = None
    """Whether an answer came since the last dispatch; None when nothing came."""
    latest: tuple[str, ...] = ()
    """Specialists of the last dispatch."""
    refused: str = ""
    """Why the last decision did not hold."""


def read(system: str, user: str) -> Situation:
    """Read both messages of a prompt; lines that fit no section's grammar are passed over, and nothing raises."""
    told: dict[str, list[str]] = {name: [] for name in ("GOAL", *_SECTIONS)}
    for name, line in _sections(user):
        told[name].append(line)
    states = _states(" ".join(told["NOW"]))
    latest = [step for line in told["LATEST"] if (step := _step(_LATEST.fullmatch(line)))]
    steps = (*(step for line in told["STEPS"] if (step := _step(_STEP.fullmatch(line)))), *latest)
    criteria = []
    for line in told["CRITERIA"]:
        if found := _CRITERION.fullmatch(line):
            owners = () if found[2] == "any" else tuple(found[2].split("+"))
            status, missing = states.get(found[1]) or (_guess(found[1], owners, steps), ())
            criteria.append(Criterion(found[1], owners, found[3], status, missing))
    answers = [bool(_ANSWER.fullmatch(line)) for line in told["ANSWERS"]]
    return Situation(
        roster={found[1]: found[2] for line in system.split("\n") if (found := _ROSTER.fullmatch(line))},
        goal=_goal("\n".join(told["GOAL"])),
        criteria=tuple(criteria),
        steps=steps,
        questions=bool(told["QUESTIONS"]),
        answered=any(answers) if answers else None,
        latest=tuple(step.specialist for step in latest),
        refused=" ".join(told["REFUSED"]),
    )


def _sections(user: str) -> Iterator[tuple[str, str]]:
    """Yield (section, line); a section opens only after those that stand before it."""
    place, name = -1, ""
    for line in user.split("\n"):
        if place < 0 and line.startswith("GOAL "):
            name = "GOAL"
            yield name, line
            continue
        word, _, rest = line.partition(" ")
        if name and word in _SECTIONS[place + 1 :] and (not rest or word in ("NOW", "REFUSED", "LEFT")):
            place, name = _SECTIONS.index(word), word
            if rest:
                yield name, rest
        elif name and name != "GOAL":
            yield name, line


def _goal(line: str) -> str:
    if found := _GOAL.fullmatch(line):
        try:
            return str(json.loads(found[1]))
        except ValueError:
            return found[1].strip('"')
    return ""


def _step(found: re.Match[str] | None) -> Step | None:
    if not found:
        return None
    words = re.sub(r'"[^"]*"|,', " ", " ".join(found.groups()[3:])).split()
    return Step(
        n=int(found[1][:9]),
        specialist=found[2],
        status=found[3],
        artifacts=tuple(word for word in words if re.match(ALIAS, word)),
        criteria=tuple(word for word in words if re.fullmatch("c[1-9][0-9]?", word)),
    )


def _states(now: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    found = [_STATE.fullmatch(part.strip()) for part in now.split(";")]
    return {item[1]: (item[2], tuple(item[3].split("+")) if item[3] else ()) for item in found if item}


def _guess(name: str, owners: tuple[str, ...], steps: tuple[Step, ...]) -> str:
    """Derive the status of a criterion whose place in NOW was cut off."""
    done = {step.specialist for step in steps if step.status == "done" and name in step.criteria}
    return "met" if done and done.issuperset(owners) else "open"
