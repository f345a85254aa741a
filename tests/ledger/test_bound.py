"""The worst case of the prompt, from the contracts alone, and that no run gets above it."""

import json
import random
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.model.schema import decision_schema
from agents.registry import SPECIALISTS
from contracts import SettingsError, estimate, registry_of
from contracts.decision import ASK
from contracts.handles import DESCRIPTION
from contracts.registry import Contract
from contracts.returns import FACTS, HEADLINE, OUTCOME, QUESTION
from contracts.text import Capped
from graph.settings import DeskSettings
from ledger import RULES, Limits, NewCriterion, RosterLine, bound, check_budget, render
from ledger.events import ANSWER, CRITERION
from ledger.render import system_bytes, system_tokens
from ledger.share import FRAME, SCHEMA, after_goal, step_line_tokens
from tests.contracts.corpus import ODDITIES, SCRIPTS, machine_made
from tests.ledger.play import NAMES, Play, Report, handle, setup_of
from tests.vocabularies import VOCABULARIES

LINES = [RosterLine(name=item.name, description=item.description, after=item.after) for item in SPECIALISTS]
NUL_FREE = [text.replace("\0", " ") for text in (*SCRIPTS.values(), *ODDITIES.values(), *machine_made().values()) if text.strip()]
ALPHABETS = [*NUL_FREE, '"quoted" ', "```", "x", "Zq", "\U0001f3da\ufe0f", "敬鬱", "ठ", "e\u0301", "'", ", ", "9"]


def full(cap: Capped, alphabet: str, rng: random.Random) -> str:
    """Return a text that fills a cap as far as the cap lets it."""
    return _full(cap, alphabet, rng.randrange(min(3, len(alphabet))))


@lru_cache(maxsize=8192)
def _full(cap: Capped, alphabet: str, start: int) -> str:
    text = (alphabet[start:] + alphabet * (1 + cap.bytes // max(1, len(alphabet))))[: cap.bytes]
    return cap.cut(text).removesuffix("…") or "x1x2x3"


def played(alphabet: str, seed: int, hops: int, budget: int, most_criteria: int = 12) -> tuple[Play, list[tuple[int, int, int]]]:
    """Play a case whose every text is as long as its contract allows; return it, and steps, tokens, bytes of each prompt."""
    rng = random.Random(seed)
    criteria = [NewCriterion(text=full(CRITERION, alphabet, rng), owners=NAMES[: rng.randrange(3)]) for _ in range(most_criteria)]
    play = Play(*criteria, goal=alphabet * (1 + 3000 // len(alphabet)), budget=budget, max_hops=10_000, patience=16, stall=64)
    seen = []
    for hop in range(hops):
        width = rng.choice([1, 1, 2, 4])
        play.dispatch(*((name, ASK.cut(f"c{1 + hop % 12} {hop} {full(ASK, alphabet, rng)}").removesuffix("…")) for name in rng.sample(NAMES, width)))
        for step in [step for step in play.ledger["steps"] if step["status"] == "pending"]:
            n, status = step["n"], rng.choice(["done", "partial", "blocked", "failed"])
            aliases = [f"A{n}", *(f"A{n}.{part}" for part in range(2, 9))]
            asks = [{"text": full(QUESTION, alphabet, rng), "to": "resident"} for _ in range(3)]
            facts = {"count": 10**15 + n, "newest": full(Capped(tokens=60, bytes=64), alphabet, rng)[:60]}
            play.give(
                n,
                status,
                headline=full(HEADLINE, alphabet, rng),
                outcome=f"{n} {full(OUTCOME, alphabet, rng)}"[:400],
                facts=facts,
                artifacts=aliases,
                questions=asks if status == "blocked" else [],
            )
            play.artifacts |= {alias: handle(alias, full(DESCRIPTION, alphabet, rng)) for alias in aliases}
        seen.append(measured(play))
        if any(item["status"] == "open" for item in play.ledger["questions"]) and hop % 3 == 0:
            play.ask(full(ANSWER, alphabet, rng))
            seen.append(measured(play))
    return play, seen


def measured(play: Play) -> tuple[int, int, int]:
    play.compact()
    prompt = render(play.ledger, play.artifacts)
    return len(play.ledger["steps"]), prompt.tokens, len((prompt.system + prompt.user).encode())


def worst(**limits: Any) -> Any:
    setup = setup_of(**limits)
    return bound(system_tokens(setup.roster, setup.rules), NAMES, setup.limits, system_bytes(setup.roster, setup.rules))


@given(st.sampled_from(ALPHABETS), st.integers(0, 10**6), st.sampled_from([1500, 1600, 2500, 100_000]))
def test_no_run_with_maximal_returns_gets_above_the_bound(alphabet: str, seed: int, budget: int) -> None:
    play, seen = played(alphabet, seed, 5, budget)
    limit = worst(budget=budget, stall=64)
    rejected = [step["cause"] for step in play.ledger["steps"] if step["status"] == "rejected"]
    assert len(rejected) <= len(play.ledger["steps"]), rejected
    for steps, tokens, size in seen:
        assert tokens <= limit.at(steps) <= budget, (tokens, limit.at(steps))
        assert size <= limit.bytes_at(steps), (size, limit.bytes_at(steps))


def test_the_maximal_run_is_near_the_bound_so_that_the_bound_says_something() -> None:
    most = max(tokens for alphabet in ("ठ", "Zq", "9, ") for _, tokens, _ in played(alphabet, 3, 12, 1500)[1])
    assert most > 0.85 * 1500


def test_the_parts_of_a_real_prompt_keep_to_their_shares() -> None:
    limit = {part.name: part.tokens for part in worst().parts}
    for alphabet in ALPHABETS:
        play, _ = played(alphabet, 5, 6, 100_000)
        user = render(play.ledger, play.artifacts).user
        criteria = user.split("CRITERIA\n")[1].split("\nSTEPS")[0]
        assert sum(estimate(line) + 1 for line in criteria.split("\n")) <= limit["criteria"], alphabet
        tail = user.split("\nNOW ")[1]
        assert estimate("NOW " + tail.split("\n")[0]) + 1 <= limit["criteria status"]
        talk = tail.split("\nQUESTIONS\n")[1].split("\nLATEST")[0] if "\nQUESTIONS" in tail else ""
        assert sum(estimate(line) + 1 for line in talk.split("\n") if line != "ANSWERS") <= limit["questions and answers"], talk
        latest = tail.split("\nLATEST\n")[1].split("\nLEFT")[0].split("\nREFUSED")[0] if "\nLATEST" in tail else ""
        assert sum(estimate(line) + 1 for line in latest.split("\n")) <= limit["latest returns"], alphabet
        for line in user.split("STEPS\n")[1].split("\nNOW ")[0].split("\n"):
            assert estimate(line) + 1 <= max(map(step_line_tokens, NAMES)), line


def test_the_bound_counts_every_step_and_stops_at_the_budget() -> None:
    limit = worst(budget=5000)
    assert limit.at(3) - limit.at(2) == limit.per_hop and limit.at(10_000) == 5000
    assert limit.least == sum(part.tokens for part in limit.parts) and str(limit).endswith(f"= {limit.least}")
    assert {part.name for part in limit.parts} >= {"base", "goal", "criteria", "latest returns", "one fan-out", "correction"}
    assert all(part.bytes > 0 and part.tokens > 0 for part in limit.parts)
    assert limit.bytes_at(9) - limit.bytes_at(8) == limit.per_hop_bytes > HEADLINE.bytes


def test_a_budget_that_cannot_hold_is_refused_with_the_sum() -> None:
    limit = worst()
    check_budget(worst(budget=limit.least))
    with pytest.raises(SettingsError, match=rf"cannot hold: base \d+ \+ goal 40 .* = {limit.least}; set it to at least {limit.least}"):
        check_budget(worst(budget=limit.least - 1))


def test_a_wider_fan_out_and_a_longer_roster_need_more() -> None:
    assert worst(max_parallel=8).least > worst(max_parallel=2).least
    more = (*NAMES, "a-specialist-with-a-long-name")
    assert after_goal(more) > after_goal(NAMES)


def test_the_default_budget_holds_the_desks_own_roster() -> None:
    check_budget(bound(system_tokens(LINES, RULES), [line.name for line in LINES], DeskSettings().limits(SPECIALISTS)))
    assert len(LINES) > 4 or DeskSettings().limits(SPECIALISTS).budget == Limits().budget


def test_the_base_is_small_and_never_underestimated() -> None:
    """Role, rules, roster and schema have at most 330 tokens; the estimate is above both vocabularies' counts."""
    play = Play(registry=registry_of(Contract(name=line.name, description=line.description, returns=Report) for line in SPECIALISTS))
    system = render(play.ledger, {}).system
    names = [line.name for line in LINES]
    for vocabulary in VOCABULARIES:
        schema = len(vocabulary.encode_ordinary(json.dumps(decision_schema(names), separators=(",", ":"))))
        exact = len(vocabulary.encode_ordinary(system)) + schema
        bare = len(vocabulary.encode_ordinary(json.dumps(decision_schema([]), separators=(",", ":"))))
        assert bare <= SCHEMA <= bare + 12, bare
        assert exact <= system_tokens(LINES, RULES) - FRAME
        if vocabulary.name == "o200k_base":
            assert exact <= 330


def test_facts_are_capped_together() -> None:
    play = Play()
    play.work(("permits", "c1: look"), facts={"count": 10 ** (FACTS.bytes + 1)})
    assert play.step(1)["status"] == "rejected" and play.step(1)["cause"].startswith("return: the facts are longer")
