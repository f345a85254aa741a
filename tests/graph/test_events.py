"""Stream events carry exactly their documented fields; the series of a run is what they say."""

import logging
from dataclasses import fields
from pathlib import Path

import pytest

from graph.context import Context
from graph.desk import WATCH
from graph.events import EVENTS, event
from graph.files import collect
from graph.samples import SAMPLES
from graph.workflow import build
from ledger.alarms import alarms
from ledger.figures import figures
from store import MemoryStore
from tests.graph.instrumented import finding, moves, run
from tests.scripted import dispatch


async def test_every_event_has_its_documented_fields(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ledger")
    planted = {3: "Dear resident, it is all done.", 5: dispatch(("plumber", "c1: pipes"))}
    _, events = await run(60, replies=moves(60, planted=planted))
    kinds = {told["event"] for told in events}
    assert {"opened", "decision", "return", "compaction", "alarm", "closed"} <= kinds
    for told in events:
        assert set(told) == {"event"} | {item.name for item in fields(EVENTS[told["event"]])}
    lines = [record for record in caplog.records if record.getMessage() == "decision"]
    assert [line.ledger_event["n"] for line in lines] == [told["n"] for told in events if told["event"] == "decision"]


def test_an_undocumented_field_is_refused() -> None:
    with pytest.raises(TypeError):
        event("stopped", case="c", reason="r", extra=1)
    with pytest.raises(TypeError):
        event("stopped", case="c")


async def test_the_report_of_a_run_equals_its_events() -> None:
    file, events = await run(50)
    report = figures(file.ledger, file.artifacts, file.archives)
    told = [item for item in events if item["event"] == "decision"]
    for key in ("n", "hop", "tokens_in", "tokens_cached", "tokens_out", "tokens_source", "attempts", "latency_ms", "difficulty", "verdict"):
        assert [getattr(row, key) for row in report.decisions] == [item[key] for item in told], key
    assert len(report.compactions) == sum(item["event"] == "compaction" for item in events) >= 1
    assert report.steps == sum(item["event"] == "return" for item in events)
    assert alarms(report) == ()


async def test_forty_hops_with_bulky_output_grow_by_a_ledger_line_each() -> None:
    """Case B69."""
    bulk = "The inspector's log of this yard goes on for many pages. " * 1700
    file, _ = await run(40, work=finding(body=bulk))
    report = figures(file.ledger, file.artifacts, file.archives)
    assert min(handle["tokens"] for alias, handle in file.artifacts.items() if alias[0] == "A") > 19_000
    growth = [later.per_attempt - earlier.per_attempt for earlier, later in zip(report.decisions, report.decisions[1:], strict=False)]
    assert report.slope and report.slope.high < 60
    assert sorted(growth)[len(growth) // 2] < 60
    assert report.decisions[39].tokens_in <= 1500
    assert max(row.prompt_tokens for row in report.decisions) <= 1500
    assert report.stored_tokens > 100 * max(row.prompt_tokens for row in report.decisions)


async def test_alarms_are_told_while_the_case_runs_and_once() -> None:
    _, events = await run(30, replies=moves(30, planted={3: "Dear resident, it is all done."}))
    told = [(index, item) for index, item in enumerate(events) if item["event"] == "alarm"]
    assert [item["code"] for _, item in told] == ["answered_itself"]
    later = [item["n"] for item in events[told[0][0] :] if item["event"] == "decision"]
    assert later and later[0] <= WATCH + 1 < 30, "it was told long before the end"


@pytest.mark.parametrize("name", sorted(SAMPLES))
async def test_the_desk_on_its_samples_fires_none(name: str, tmp_path: Path) -> None:
    store = MemoryStore()
    values = await build(store=store, home=tmp_path).ainvoke({"goal": SAMPLES[name]}, context=Context(ask_people=False))
    file = await collect(store, values["ledger"], values["artifacts"])
    assert alarms(figures(file.ledger, file.artifacts, file.archives)) == ()
