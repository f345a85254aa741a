"""Generated replies of every sort: nothing raises, and nobody is dispatched whom the reply did not unambiguously name."""

import json
import os
import random
import re
import time
from collections.abc import Callable

import pytest
from langchain_core.messages import AIMessage

from agents.model.faults import Fault
from agents.model.objects import read_object
from agents.model.reading import Reading, read_decision

ROSTER = ("permits", "street_lights", "potholes", "housing")
ALIKE = {"e": "е", "o": "о", "i": "і", "p": "р", "h": "һ", "s": "ѕ"}
PLANES = [
    (0x20, 0x7F),
    (0x80, 0x800),
    (0x800, 0xD7FF),
    (0xD800, 0xDFFF),
    (0xE000, 0xFFFF),
    (0x10000, 0x1FFFF),
    (0x20000, 0x3FFFF),
    (0xE0000, 0x10FFFF),
]


def character(dice: random.Random) -> str:
    """Return a character of any plane, lone surrogates included."""
    return chr(dice.randint(*dice.choice(PLANES)))


def value(dice: random.Random, depth: int = 0) -> object:
    """Return a random JSON value that often uses the decision's own keys and names."""
    kind = dice.randrange(8 if depth < 4 else 5)
    if kind < 5:
        words = [*ROSTER, "parks", "finish", "dispatch", "ask", "supervisor", "c1", "A1", ""]
        return dice.choice([None, True, dice.randint(-(10**20), 10**20), dice.random(), dice.choice(words)])
    if kind == 5:
        return [value(dice, depth + 1) for _ in range(dice.randrange(4))]
    keys = ["reason", "action", "dispatch", "out_of_scope", "specialist", "ask", "handles", "next", "arguments", "name", "answer", character(dice)]
    return {dice.choice(keys): value(dice, depth + 1) for _ in range(dice.randrange(5))}


def decision(dice: random.Random, name: str) -> dict[str, object]:
    """Return a valid decision for one specialist."""
    work = {"specialist": name, "ask": f"c{dice.randint(1, 12)}: look", "handles": dice.choice([[], ["A1"]])}
    return {"reason": "open", "action": "dispatch", "dispatch": [work], "out_of_scope": []}


def mutated(dice: random.Random, text: str) -> str:
    """Return `text` with up to six random cuts, doublings and insertions."""
    for _ in range(dice.randint(1, 6)):
        at, to = sorted((dice.randint(0, len(text)), dice.randint(0, len(text))))
        text = dice.choice(
            [text[:at] + text[to:], text[:at] + character(dice) + text[at:], text[:to] + text[at:to] + text[to:], text[at:to], text + text[at:]]
        )
        text = text[:4000]
    return text


def mutation(dice: random.Random) -> tuple[str, set[str]]:
    """Damage a valid decision; only the name in it may be dispatched."""
    name = dice.choice(ROSTER)
    return mutated(dice, json.dumps(decision(dice, name))), {name}


def junk(dice: random.Random) -> tuple[str, set[str]]:
    """Write random JSON; whoever is dispatched must stand in it as a value."""
    made = json.dumps(value(dice))
    return made, {name for name in ROSTER if f'"{name}"' in made}


def noise(dice: random.Random) -> tuple[str, set[str]]:
    """Write random text of all planes; nobody may be dispatched."""
    return "".join(character(dice) for _ in range(dice.randint(0, 80))), set()


def negated(dice: random.Random) -> tuple[str, set[str]]:
    """Speak against a name, or of two; nobody may be dispatched."""
    one, two = dice.sample(ROSTER, 2)
    forms = [
        "not {}",
        "never {}",
        "do not use {}",
        "{} or {}",
        "{}, {}",
        "anything but {}",
        'not {{"next":"{}"}}',
        '{{"next":"{}"}} or {{"next":"{}"}}',
        "I will send this to {} now",
    ]
    forms += [
        '{{"next":"{}","next":"{}"}}',
        '{{"next_agent":"{}"}}',
        "<think>{}",
        "<think>{}</think>",
        '{{"action":"finish","dispatch":["{}"]}}',
        "{} is not needed, {} neither",
    ]
    return dice.choice(forms).format(one, two), set()


def alike(dice: random.Random) -> tuple[str, set[str]]:
    """Spell a name with look-alike or invisible characters; nobody may be dispatched."""
    name = dice.choice(ROSTER)
    at = dice.choice([index for index, letter in enumerate(name) if letter in ALIKE])
    hidden = dice.choice(["\u200b", "\u200d", "\u2060", "\u202e", "\u00ad", "\ufeff", "\U000e0041"])
    name = dice.choice([name[:at] + ALIKE[name[at]] + name[at + 1 :], name[:at] + hidden + name[at:], hidden + name])
    return dice.choice([name, json.dumps({"next": name}), json.dumps(decision(dice, name), ensure_ascii=False)]), set()


def dressed(dice: random.Random) -> tuple[str, set[str]]:
    """Wrap a valid decision in what models put around it."""
    name = dice.choice(ROSTER)
    made = json.dumps(decision(dice, name), indent=dice.choice([None, 2]))
    return dice.choice(
        ["```json\n{}\n```", "Sure:\n{}", "<think>{{housing}}</think>{}", "{}\n\nDone.", "\x1b[1m{}\x1b[0m", "<tool_call>{}</tool_call>"]
    ).format(made), {name}


MAKERS: list[Callable[[random.Random], tuple[str, set[str]]]] = [mutation, junk, noise, negated, alike, dressed]


def check(reply: object, allowed: set[str], text: str) -> Reading:
    """Read a reply and hold it to the law."""
    found = read_decision(reply, ROSTER)
    assert {choice.specialist for choice in found.dispatch} <= allowed, text
    assert (found.fault is None) != (found.action is None), text
    if found.fault is None:
        found.decision(lambda name: "Work on c1")
    elif found.fault is not Fault.EMPTY:
        assert "\n" not in found.detail and len(found.detail) <= 200, text
    return found


def fuzz(count: int, seed: int) -> None:
    """Read `count` replies as text and, each tenth, as the arguments of a tool call."""
    dice, slowest, dispatched = random.Random(seed), 0.0, 0
    for number in range(count):
        text, allowed = dice.choice(MAKERS)(dice)
        started = time.perf_counter()
        dispatched += bool(check(text, allowed, text).dispatch)
        found = read_object(text)
        assert isinstance(found, dict | Fault), text
        slowest = max(slowest, time.perf_counter() - started)
        if number % 10 == 0:
            call = {"name": dice.choice(["decision", "parks", ""]), "args": text, "id": "1", "error": None}
            check(AIMessage("", invalid_tool_calls=[call]), allowed | set(re.findall("|".join(ROSTER), text)), text)
    assert slowest < 1.0
    assert count / 20 < dispatched < count / 2, "the generator makes no decisions any more, or only decisions"


def seed_of() -> int:
    """Return the seed to use; set DESK_SEED to repeat a run."""
    return int(os.environ.get("DESK_SEED") or time.time_ns() % 10**9)


def test_generated_replies(record_property: Callable[[str, object], None], capsys: pytest.CaptureFixture[str]) -> None:
    seed = seed_of()
    record_property("seed", seed)
    with capsys.disabled():
        os.write(1, f"[seed {seed}] ".encode())
    fuzz(2_000, seed)


@pytest.mark.slow
def test_twenty_thousand_generated_replies(record_property: Callable[[str, object], None], capsys: pytest.CaptureFixture[str]) -> None:
    seed = seed_of()
    record_property("seed", seed)
    with capsys.disabled():
        os.write(1, f"[seed {seed}] ".encode())
    fuzz(20_000, seed)
