"""Generated replies of every sort: nothing raises, and nobody is dispatched whom the reply did not unambiguously name."""

import json
import os
import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from agents.model.faults import Fault
from agents.model.objects import read_object
from agents.model.reading import read_decision
from agents.model.stated import Reading
from tests.agents.model.replies import AGAINST, HARMLESS, PROSE, SPOKEN, STRUCK, filled

ROSTER = ("permits", "street_lights", "potholes", "housing")
WRAPPERS = ("decision", "arguments", "parameters", "args", "input", "function")
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
        "{}?",
        "if c1 then {} else {}",
        "I will send this to {} now",
    ]
    forms += ['{{"next_agent":"{}"}}', "<think>{}", "<think>{}</think>", '{{"action":"finish","dispatch":["{}"]}}', "{} is not needed, {} neither"]
    forms += [
        '{{"next":["{}","{}"]}}',
        '["{}","{}"]',
        '[{{"next":"{}"}},{{"next":"{}"}}]',
        '{{"next":"{}","else":"{}"}}',
        '{{"if":"c1","next":"{}"}}',
    ]
    return dice.choice(forms).format(one, two), set()


def prose(dice: random.Random) -> str:
    """Return anything from nothing to pages of sentences that say nothing for or against a decision."""
    return " ".join(dice.choice(PROSE) for _ in range(dice.choice([0, 1, 2, 5, 30])))


def written(dice: random.Random, name: str) -> str:
    """Write one valid decision down in one of the ways that are read."""
    made = dice.choice([decision(dice, name), {"next": name}, {"specialist": name, "ask": "c1"}, {"decision": {"next": name}}])
    text = json.dumps(made, indent=dice.choice([None, None, 1]))
    return dice.choice([text, text, f"```json\n{text}\n```"])


def against(dice: random.Random) -> tuple[str, set[str]]:
    """Take a decision back, at any distance from it; nobody may be dispatched."""
    one, two = dice.sample(ROSTER, 2)
    form = dice.choice(AGAINST)
    made = json.dumps(decision(dice, one)) if form in STRUCK else written(dice, one)
    return filled(dice.choice([form, form, form.replace(" & ", "\n\n&\n\n")]), made, two, prose(dice)), set()


def harmless(dice: random.Random) -> tuple[str, set[str]]:
    """Wrap a decision in what models put around it."""
    one, two = dice.sample(ROSTER, 2)
    return filled(dice.choice(HARMLESS), json.dumps(decision(dice, one)), two), {one}


def doubled(dice: random.Random) -> tuple[str, set[str]]:
    """Write one key twice with two values, at any depth; nobody may be dispatched."""
    one, two = dice.sample(ROSTER, 2)
    key = dice.choice(["next", "specialist", "dispatch"])
    first, second = (json.dumps([{"specialist": name, "ask": "c1", "handles": []}] if key == "dispatch" else name) for name in (one, two))
    made = f'{{"{key}":{first},{dice.choice(["", chr(34) + "reason" + chr(34) + ":1,"])}"{key}":{second}}}'
    for _ in range(dice.choice([0, 0, 1, 2])):
        made = f'{{"{dice.choice(WRAPPERS)}":{made}}}'
    return dice.choice([made, json.dumps(made), f"Sure: {made}"]), set()


def deep(dice: random.Random) -> tuple[str, set[str]]:
    """Contradict a decision inside its own object, at any depth, plainly or encoded as text; nobody may be dispatched."""
    one, two = dice.sample(ROSTER, 2)
    inner: Any = dice.choice(
        [{"next": two}, {"specialist": two, "ask": "c1"}, {"action": "finish"}, {"valid": False}, {"not": one}, two, {"x": f"use {two}"}]
    )
    for _ in range(dice.randrange(12)):
        inner = dice.choice([{dice.choice([*WRAPPERS, "notes", "meta"]): inner}, [inner], {"x": 1, "then": inner}])
        inner = json.dumps(inner) if dice.random() < 0.15 else inner
    made = {
        **dice.choice([decision(dice, one), {"next": one}, {"specialist": one, "ask": "c1"}]),
        dice.choice(["args", "input", "extra", "parameters"]): inner,
    }
    return dice.choice([json.dumps(made), json.dumps(json.dumps(made)), f"Here it is: {json.dumps(made)}"]), set()


def encoded(dice: random.Random) -> tuple[str, set[str]]:
    """Encode an object as text once or twice, or two that contradict each other."""
    one, two = dice.sample(ROSTER, 2)
    first, second = (json.dumps(json.dumps({"next": name})) for name in (one, two))
    return dice.choice(
        [
            (first, {one}),
            (json.dumps(first), {one}),
            (f"{first} {second}", set()),
            (f"[{first},{second}]", set()),
            (f'{{"decision":{first},"args":{second}}}', set()),
        ]
    )


def beside(dice: random.Random) -> tuple[AIMessage, set[str]]:
    """Call a tool and say something beside it: the same, something harmless, somebody else's name, or a word against it."""
    one, two = dice.sample(ROSTER, 2)
    call = dice.choice([("decision", decision(dice, one)), (one, {"ask": "c1"}), (f"transfer_to_{one}", {}), ("decision", {"next": one})])
    calls = [{"name": call[0], "args": call[1], "id": "1"}]
    said, allowed = dice.choice(
        [
            ("", {one}),
            (one, {one}),
            (prose(dice), {one}),
            (filled(dice.choice(HARMLESS), one, two), {one}),
            (f"<think>not {one}, {two}</think>", {one}),
            (f"{prose(dice)} {two} {prose(dice)}", set()),
            (filled(dice.choice(SPOKEN), one, two, prose(dice)), set()),
            (written(dice, two), set()),
            ("FINISH", set()),
        ]
    )
    if dice.random() < 0.2:
        calls.append({"name": "finish", "args": {}, "id": "2"})
        allowed = set()
    return AIMessage(said, tool_calls=calls), allowed


def alike(dice: random.Random) -> tuple[str, set[str]]:
    """Spell a name with look-alike or invisible characters; nobody may be dispatched."""
    name = dice.choice(ROSTER)
    at = dice.choice([index for index, letter in enumerate(name) if letter in ALIKE])
    hidden = dice.choice(["\u200b", "\u200d", "\u2060", "\u202e", "\u00ad", "\ufeff", "\U000e0041"])
    name = dice.choice([name[:at] + ALIKE[name[at]] + name[at + 1 :], name[:at] + hidden + name[at:], hidden + name])
    return dice.choice([name, json.dumps({"next": name}), json.dumps(decision(dice, name), ensure_ascii=False)]), set()


MAKERS: list[Callable[[random.Random], tuple[str | AIMessage, set[str]]]] = [
    mutation,
    junk,
    noise,
    negated,
    against,
    harmless,
    doubled,
    deep,
    encoded,
    beside,
    alike,
]


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
    """Read `count` replies, and each tenth text once more as the arguments of a tool call."""
    dice, slowest, dispatched = random.Random(seed), 0.0, 0
    for number in range(count):
        reply, allowed = dice.choice(MAKERS)(dice)
        started = time.thread_time()
        dispatched += bool(check(reply, allowed, str(reply)).dispatch)
        assert isinstance(read_object(reply), dict | Fault), reply
        slowest = max(slowest, time.thread_time() - started)
        if number % 10 == 0 and isinstance(reply, str):
            call = {"name": dice.choice(["decision", "parks", ""]), "args": reply, "id": "1", "error": None}
            check(AIMessage("", invalid_tool_calls=[call]), allowed, reply)
    assert slowest < 1.0
    assert count / 10 < dispatched < count / 2, "the generator makes no decisions any more, or only decisions"


def test_generated_replies(record_property: Callable[[str, object], None], capsys: pytest.CaptureFixture[str]) -> None:
    seed = int(os.environ.get("DESK_SEED") or time.time_ns() % 10**9)
    record_property("seed", seed)
    with capsys.disabled():
        os.write(1, f"[seed {seed}] ".encode())
    fuzz(int(os.environ.get("FUZZ", "2000")), seed)
