"""OpenTelemetry: names are pinned, spans form a tree, labels are bounded, and no content leaves."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from graph import telemetry
from tests.graph.instrumented import GOAL, moves, run
from tests.scripted import dispatch


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[InMemorySpanExporter, InMemoryMetricReader]]:
    spans, figures = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    meters = MeterProvider([figures])
    monkeypatch.setattr(trace, "get_tracer", tracers.get_tracer)
    monkeypatch.setattr(metrics, "get_meter", meters.get_meter)
    telemetry._histogram.cache_clear()
    yield spans, figures
    telemetry._histogram.cache_clear()
    telemetry._models.clear()


def named(spans: tuple[ReadableSpan, ...], key: str) -> list[ReadableSpan]:
    return [span for span in spans if span.attributes and key in span.attributes]


async def test_spans_of_a_run_form_a_tree(readers: Any) -> None:
    file, events = await run(50, replies=moves(50, planted={3: dispatch(("plumber", "c1: pipes"))}))
    spans = readers[0].get_finished_spans()
    (root,) = [span for span in spans if span.parent is None]
    assert root.name == "invoke_agent desk"
    assert root.attributes == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "desk",
        "gen_ai.conversation.id": file.ledger["case"],
        "gen_ai.conversation.compacted": True,
        "ledger.case.status": file.ledger["status"],
    }
    decisions, steps = named(spans, "ledger.decision.n"), named(spans, "ledger.step.n")
    told = [item for item in events if item["event"] == "decision"]
    assert [span.attributes["ledger.decision.n"] for span in decisions] == [item["n"] for item in told]
    assert [span.attributes["gen_ai.usage.input_tokens"] for span in decisions] == [item["tokens_in"] for item in told]
    assert len(steps) == sum(item["event"] == "return" for item in events)
    assert {span.name for span in steps} == {f"invoke_agent {name}" for name in ("permits", "housing", "potholes", "sanitation")}
    for span in [*decisions, *steps]:
        assert span.parent and span.parent.span_id == root.context.span_id
        assert span.start_time >= root.start_time - 10**9 and span.end_time <= root.end_time
        assert span.attributes["gen_ai.conversation.id"] == file.ledger["case"]
    first = decisions[0].attributes
    assert {"gen_ai.request.model", "gen_ai.usage.output_tokens", "gen_ai.usage.cache_read.input_tokens", "ledger.decision.verdict"} <= set(first)
    assert not telemetry._runs


async def test_no_content_leaves(readers: Any) -> None:
    file, _ = await run(6, replies=moves(6, planted={2: "Dear resident, your pothole is repaired."}))
    secrets = {GOAL, *(step[key] for step in file.ledger["steps"] for key in ("ask", "headline", "outcome"))}
    secrets |= {item[key] for item in file.ledger["decisions"] for key in ("reason", "raw", "detail") if item[key]}
    spans = readers[0].get_finished_spans()
    out = "\n".join(span.to_json() for span in spans) + str(readers[1].get_metrics_data())
    assert len(spans) > 6
    assert not [text for text in secrets if text in out]


async def test_the_histogram_has_bounded_labels(readers: Any) -> None:
    file, _ = await run(55)
    for index in range(40):
        telemetry._decided(
            {"event": "decision", "case": f"case{index}", "n": 1, "hop": 1, "action": None, "verdict": "ok", "attempts": 1, "difficulty": 1}
            | {"tokens_source": "reported", "tokens_in": 9, "tokens_out": 1, "tokens_cached": 0, "latency_ms": 1, "model": f"model-{index}"}
        )
    (scope,) = readers[1].get_metrics_data().resource_metrics[0].scope_metrics
    (metric,) = scope.metrics
    points = metric.data.data_points
    assert metric.name == "ledger.decision.input_tokens"
    assert {frozenset(point.attributes) for point in points} == {frozenset({"gen_ai.request.model", "ledger.decision.verdict", "ledger.depth"})}
    assert {point.attributes["ledger.depth"] for point in points} == {"1-5", "6-15", "16-50", "51+"}
    assert len({point.attributes["gen_ai.request.model"] for point in points}) <= telemetry.MOST_MODELS + 1
    mine = [point for point in points if point.attributes["gen_ai.request.model"] == "Scripted"]
    assert sum(point.count for point in mine) == file.ledger["counts"]["decisions"]
    for case in list(telemetry._runs):
        telemetry._closed({"case": case, "status": "done"})


async def test_nothing_is_kept_without_an_sdk() -> None:
    await run(3)
    assert not telemetry._runs


@pytest.mark.parametrize(
    ("n", "label"), [(1, "1-5"), (5, "1-5"), (6, "6-15"), (15, "6-15"), (16, "16-50"), (50, "16-50"), (51, "51+"), (9999, "51+")]
)
def test_depths(n: int, label: str) -> None:
    assert telemetry.depth_of(n) == label
