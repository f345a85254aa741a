"""The benchmark's own parts: work of the stated size, exact counting, caching rules, and peers that finish the work."""

import json
import xml.etree.ElementTree as ElementTree

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

pytest.importorskip("langgraph_supervisor", reason="the peers come with the bench extra: make bench sets it up")
pytest.importorskip("deepagents", reason="the peers come with the bench extra: make bench sets it up")

from tests.bench.budgets import BUDGETS, budget_rows
from tests.bench.counting import Call, Meter, count
from tests.bench.flight import fly
from tests.bench.measure import cost, figures, slope
from tests.bench.peers import PEERS
from tests.bench.plot import draw
from tests.bench.work import PROSE_TOKENS, RECORD_TOKENS, SPECIALISTS, turn


def test_turns_have_the_stated_size_and_depend_on_their_number_only() -> None:
    for n in (1, 2, 3, 4, 37):
        work = turn(n)
        assert all(abs(count(text) - RECORD_TOKENS) <= 0.05 * RECORD_TOKENS for text in work.records)
        assert abs(count(work.prose) - PROSE_TOKENS) <= 0.05 * PROSE_TOKENS
        turn.cache_clear()
        assert turn(n) == work
    assert [turn(n).specialist for n in range(1, 6)] == [*SPECIALISTS, next(iter(SPECIALISTS))]
    assert len({turn(n).ask for n in range(1, 51)}) == 50


def test_a_call_is_counted_with_messages_tool_calls_and_schemas() -> None:
    meter, schema = Meter(), {"name": "search", "parameters": {}}
    messages = [SystemMessage("You route."), HumanMessage("No heat at 4 Elm Street.")]
    meter.add("router", messages, [], AIMessage("permits"))
    meter.add("router", messages, [schema], AIMessage("permits"))
    bare, bound = meter.calls
    assert bare.tokens_in >= count("You route.") + count("No heat at 4 Elm Street.") + 3 * 3
    assert bound.tokens_in - bare.tokens_in == pytest.approx(count(json.dumps(schema, separators=(",", ":"))), abs=2)
    assert bare.shared == 0


def test_the_next_call_shares_the_prefix_of_the_one_before() -> None:
    meter = Meter()
    head = [SystemMessage("One two three four five six seven eight nine ten.")]
    meter.add("router", head, [], AIMessage("a"))
    meter.add("worker", [HumanMessage("else")], [], AIMessage("a"))
    meter.add("router", [*head, HumanMessage("and more")], [], AIMessage("a"))
    assert meter.calls[2].shared >= count(head[0].text)
    assert meter.calls[2].shared < meter.calls[2].tokens_in


def test_caching_rules() -> None:
    calls = [Call("router", 1_000, 5, 0), Call("router", 2_000, 5, 1_000), Call("router", 3_000, 5, 2_000)]
    assert cost(calls) == {"none": 6_000, "perfect": 3_300, "openai": round(6_000 - 0.9 * 1_920)}


def test_slope_of_a_straight_line() -> None:
    assert slope([100, 160, 220, 280]) == pytest.approx(60)
    assert slope([5]) == 0


@pytest.mark.parametrize("name", PEERS)
async def test_every_peer_finishes_the_work_and_is_deterministic(name: str) -> None:
    first, second = [figures(await PEERS[name].run(5)) for _ in range(2)]
    assert len(first["series"]) == 6
    for row in (first, second):
        row.pop("counted_hop_ms")
    assert first == second


async def test_runs_in_flight_at_once_each_do_their_own_work() -> None:
    found = await fly("ledger", 3)
    assert found["in_flight"] == found["runs"] == 3


async def test_the_plot_is_valid_and_names_each_peer() -> None:
    rows = [figures(await PEERS[name].run(5)) for name in ("ledger", "tutorial")]
    for theme in ("light", "dark"):
        words = " ".join(ElementTree.fromstring(draw(rows, 5, theme)).itertext())
        assert "ledger" in words
        assert "tutorial" in words


async def test_a_budget_that_is_never_reached_changes_nothing() -> None:
    rows = await budget_rows(turns=5)
    assert [row["budget"] for row in rows] == sorted(BUDGETS) and len({row["total"] for row in rows}) == 1
    assert all(row["highest"] <= row["budget"] for row in rows)
