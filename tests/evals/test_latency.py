"""The latency run measures both prompts cold and after the decision before, and reports a transcript that does not fit as a result."""

from collections.abc import Mapping
from typing import Any

from tests.endpoint import Answer, ScriptedEndpoint
from tests.evals.latency import TURNS, Server, measured, ratios
from tests.llm.server import CONTEXT


class Timed:
    """Times prompts as a server with a prefix cache would: a millisecond for each four new characters."""

    def __init__(self) -> None:
        self.last = ""

    def __call__(self, request: Mapping[str, Any]) -> Answer:
        text = "".join(message["content"] for message in request["messages"])
        if len(text) // 4 > CONTEXT:
            return Answer({"error": {"type": "exceed_context_size_error", "n_prompt_tokens": len(text) // 4, "message": "too long"}}, status=400)
        shared = next((place for place, (a, b) in enumerate(zip(text, self.last, strict=False)) if a != b), min(len(text), len(self.last)))
        self.last = text
        new, old = (len(text) - shared) // 4, shared // 4
        return Answer({"timings": {"prompt_n": new, "cache_n": old, "prompt_ms": new, "predicted_ms": request["max_tokens"]}})


def test_both_prompts_are_measured_and_what_does_not_fit_is_said() -> None:
    with ScriptedEndpoint(Timed()) as endpoint:
        rows = measured(Server(endpoint.url))
    by = {(row["prompt"], row["turn"]): row for row in rows}
    ledger = [by["ledger", turn] for turn in TURNS]
    assert all(row["fits"] and row["cached_prefill_s"] < row["prefill_s"] and row["cached_tokens"] > 0 for row in ledger)
    assert by["transcript", 1]["fits"] and not by["transcript", 15]["fits"] and by["transcript", 50]["tokens"] > CONTEXT
    last = max(turn for name, turn in by if name == "transcript" and by[name, turn]["fits"])
    assert last > 1 and by["transcript", last]["cached_prefill_s"] > 2 * by["ledger", last]["cached_prefill_s"]
    assert ratios(rows)[str(last)] > 2 and "50" not in ratios(rows)
    assert all(row["seconds"] == round(row["prefill_s"] + row["decode_s"], 3) for row in rows if row["fits"])
