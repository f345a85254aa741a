"""OpenTelemetry: spans of runs, decisions and specialists, and a histogram of the router's tokens-in.

Only the API is used, so that nothing happens until a program or `opentelemetry-instrument` configures an SDK. Content never leaves: no goal,
ask, reason, headline or outcome is ever an attribute. Spans are made from the stream events, with the durations these carry. This module
pins every name; those of the GenAI conventions are development status there and may change, ours may not.
"""

import time
from collections import OrderedDict
from functools import cache
from typing import Any

from opentelemetry import metrics, trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

JSON = dict[str, Any]
SCOPE = "ledger_supervisor"
AGENT = "desk"

OPERATION = "gen_ai.operation.name"
AGENT_NAME = "gen_ai.agent.name"
CONVERSATION = "gen_ai.conversation.id"
COMPACTED = "gen_ai.conversation.compacted"
MODEL = "gen_ai.request.model"
TOKENS_IN = "gen_ai.usage.input_tokens"
TOKENS_OUT = "gen_ai.usage.output_tokens"
TOKENS_CACHED = "gen_ai.usage.cache_read.input_tokens"
ERROR = "error.type"
DECISION = "ledger.decision.n"
VERDICT = "ledger.decision.verdict"
ACTION = "ledger.decision.action"
ATTEMPTS = "ledger.decision.attempts"
DIFFICULTY = "ledger.decision.difficulty"
SOURCE = "ledger.tokens.source"
HOP = "ledger.hop"
STEP = "ledger.step.n"
STEP_STATUS = "ledger.step.status"
CASE_STATUS = "ledger.case.status"
ALARM = "ledger.alarm"
DEPTH = "ledger.depth"
HISTOGRAM = "ledger.decision.input_tokens"
DEPTHS = ((5, "1-5"), (15, "6-15"), (50, "16-50"))
"""(last decision, label) of each range of depths that a histogram tells apart."""
BUCKETS = (128, 256, 512, 768, 1024, 1536, 2048, 4096, 8192, 16384, 32768, 65536)
"""Bounds of the histogram, in tokens."""
MOST_MODELS, MOST_RUNS = 16, 1024
"""Names of models that attributes tell apart, and runs whose spans are kept open."""

_runs: OrderedDict[str, Span] = OrderedDict()
_models: set[str] = set()


def observe(event: JSON) -> None:
    """Turn one stream event into spans and figures; does nothing without a configured SDK."""
    handler = _HANDLERS.get(event["event"])
    if handler is not None:
        handler(event)


def depth_of(n: int) -> str:
    """Return the bounded label of how deep in its run a decision was."""
    return next((label for most, label in DEPTHS if n <= most), "51+")


def _run(case: str) -> Context | None:
    """Return the context of a case's run span, begun here when this process has not seen it; None when spans go nowhere."""
    span = _runs.get(case)
    if span is None:
        span = trace.get_tracer(SCOPE).start_span(f"invoke_agent {AGENT}", kind=SpanKind.INTERNAL)
        if not span.is_recording():
            return None
        span.set_attributes({OPERATION: "invoke_agent", AGENT_NAME: AGENT, CONVERSATION: case})
        _runs[case] = span
        while len(_runs) > MOST_RUNS:
            _runs.popitem(last=False)[1].end()
    return trace.set_span_in_context(span)


def _span(event: JSON, name: str, ms: int, attributes: JSON, *, failed: str = "", kind: SpanKind = SpanKind.INTERNAL) -> None:
    context = _run(event["case"])
    if context is None:
        return
    end = time.time_ns()
    span = trace.get_tracer(SCOPE).start_span(name, context, kind, attributes | {CONVERSATION: event["case"]}, start_time=end - ms * 1_000_000)
    if failed:
        span.set_attribute(ERROR, failed)
        span.set_status(Status(StatusCode.ERROR))
    span.end(end)


@cache
def _histogram() -> metrics.Histogram:
    what = "Tokens that the router read for one decision, attempts summed"
    return metrics.get_meter(SCOPE).create_histogram(HISTOGRAM, "{token}", what, explicit_bucket_boundaries_advisory=BUCKETS)


def _opened(event: JSON) -> None:
    _run(event["case"])


def _decided(event: JSON) -> None:
    model, verdict = _known_model(event["model"]), event["verdict"]
    attributes = {OPERATION: "chat", MODEL: model, AGENT_NAME: AGENT, DECISION: event["n"], HOP: event["hop"], VERDICT: verdict}
    attributes |= {ATTEMPTS: event["attempts"], DIFFICULTY: event["difficulty"], SOURCE: event["tokens_source"], ACTION: event["action"] or "none"}
    attributes |= {TOKENS_IN: event["tokens_in"], TOKENS_OUT: event["tokens_out"], TOKENS_CACHED: event["tokens_cached"]}
    _span(event, f"chat {model}", event["latency_ms"], attributes, failed="" if verdict == "ok" else verdict, kind=SpanKind.CLIENT)
    _histogram().record(event["tokens_in"], {MODEL: model, VERDICT: verdict, DEPTH: depth_of(event["n"])})


def _returned(event: JSON) -> None:
    spent, status = event["spent"], event["status"]
    attributes = {OPERATION: "invoke_agent", AGENT_NAME: event["specialist"], STEP: event["n"], STEP_STATUS: status}
    if spent.get("calls"):
        attributes |= {TOKENS_IN: spent["tokens_in"], TOKENS_OUT: spent["tokens_out"], SOURCE: spent["tokens_source"]}
    failed = status if status in ("failed", "rejected") else ""
    _span(event, f"invoke_agent {event['specialist']}", spent.get("ms", 0), attributes, failed=failed)


def _compacted(event: JSON) -> None:
    if _run(event["case"]):
        _runs[event["case"]].set_attribute(COMPACTED, True)


def _alarmed(event: JSON) -> None:
    if _run(event["case"]):
        _runs[event["case"]].add_event(ALARM, {"code": event["code"], **({AGENT_NAME: event["specialist"]} if event["specialist"] else {})})


def _closed(event: JSON) -> None:
    span = _runs.pop(event["case"], None)
    if span is not None:
        span.set_attribute(CASE_STATUS, event["status"])
        span.end()


def _known_model(name: str) -> str:
    """Bound the label: past the first few models, a name counts as `other`."""
    if name not in _models and len(_models) < MOST_MODELS:
        _models.add(name)
    return name if name in _models else "other"


_HANDLERS = {
    "opened": _opened,
    "decision": _decided,
    "return": _returned,
    "rejected": _returned,
    "compaction": _compacted,
    "alarm": _alarmed,
    "closed": _closed,
}
