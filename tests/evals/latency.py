"""Seconds per routing decision on a real transformer: the small local model, on the ledger prompt and on the transcript, as a run grows.

Prefill is what a prompt costs that the server has never seen; cached prefill is what the same prompt costs right after the one before it,
when only what changed since then is new. Both come from the server's own clock, without the network.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from agents.model.schema import decision_schema
from ledger import Prompt
from tests.evals.cases import Case
from tests.evals.depth import PREMATURE, finish_probes
from tests.evals.report import progress
from tests.evals.views import LEDGER, MESSAGES, TRANSCRIPT, ledger, messages, transcript
from tests.llm.server import CONTEXT, local_model

TURNS = (1, 15, 50)
REPLY = 48
"""Tokens of each measured reply, so that decoding costs the same everywhere."""
PROMPTS: Mapping[str, Callable[[Case], Prompt]] = {LEDGER: ledger, TRANSCRIPT: transcript, MESSAGES: messages}
JSON = dict[str, Any]


class Server:
    """The model server, asked past the desk's own client because only its raw reply holds its timings."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._fresh = count(1)

    def measure(self, name: str, turn: int) -> JSON:
        """Return what decision `turn` costs on a prompt, or that it does not fit the window."""
        case = case_at(turn)
        prompt, mark = PROMPTS[name](case), f"[case {next(self._fresh)}]"
        row: JSON = {"prompt": name, "turn": turn}
        try:
            cold = self._ask(mark, prompt, case.roster)
        except TooLong as error:
            return row | {"fits": False, "tokens": error.tokens}
        if turn > 1:
            mark = f"[case {next(self._fresh)}]"
            self._ask(mark, PROMPTS[name](case_at(turn - 1)), case.roster, reply=1)
        warm = self._ask(mark, prompt, case.roster)
        decode = warm["predicted_ms"] / 1000
        prefill, cached = cold["prompt_ms"] / 1000, warm["prompt_ms"] / 1000
        return row | {
            "fits": True,
            "tokens": cold["prompt_n"] + cold["cache_n"],
            "cached_tokens": warm["cache_n"],
            "prefill_s": round(prefill, 3),
            "cached_prefill_s": round(cached, 3),
            "decode_s": round(decode, 3),
            "seconds": round(prefill + decode, 3),
            "cached_seconds": round(cached + decode, 3),
        }

    def _ask(self, mark: str, prompt: Prompt, roster: list[str], reply: int = REPLY) -> JSON:
        kind = {"name": "decision", "strict": True, "schema": decision_schema(roster)}
        body = {
            "messages": [{"role": "system", "content": f"{mark} {prompt.system}"}, {"role": "user", "content": prompt.user}],
            "max_tokens": reply,
            "temperature": 0,
            "response_format": {"type": "json_schema", "json_schema": kind},
        }
        request = urllib.request.Request(f"{self.url}/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=280) as answer:
                timings: JSON = json.load(answer)["timings"]
                return timings
        except urllib.error.HTTPError as error:
            told = json.loads(error.read())["error"]
            if told.get("type") == "exceed_context_size_error":
                raise TooLong(told.get("n_prompt_tokens", prompt.tokens)) from None
            raise


class TooLong(ValueError):
    """The prompt is longer than the model's window."""

    def __init__(self, tokens: int) -> None:
        super().__init__(f"{tokens} tokens do not fit {CONTEXT}")
        self.tokens = tokens


def case_at(turn: int) -> Case:
    """Return the case before decision `turn`: one history that grows."""
    probe = next(probe for probe in finish_probes() if probe.kind == PREMATURE)
    return probe.at(turn)


def measured(server: Server, tick: Callable[[], object] = lambda: None) -> list[JSON]:
    """Measure both prompts at each turn, and at the last turn whose transcript fits."""
    rows = []
    for name in (LEDGER, TRANSCRIPT):
        for turn in TURNS:
            rows.append(server.measure(name, turn))
            tick()
    fitting = next(row for turn in range(8, 0, -1) if (row := server.measure(TRANSCRIPT, turn))["fits"])
    rows += [fitting, server.measure(LEDGER, fitting["turn"]), *(server.measure(MESSAGES, turn) for turn in TURNS[1:])]
    tick()
    return sorted(rows, key=lambda row: (list(PROMPTS).index(row["prompt"]), row["turn"]))


def ratios(rows: list[JSON]) -> JSON:
    """Return transcript seconds over ledger seconds at each turn where both fit."""
    seconds = {(row["prompt"], row["turn"]): row["seconds"] for row in rows if row["fits"]}
    both = sorted({turn for name, turn in seconds if name == TRANSCRIPT} & {turn for name, turn in seconds if name == LEDGER})
    return {str(turn): round(seconds[TRANSCRIPT, turn] / seconds[LEDGER, turn], 2) for turn in both}


def main(out: Path, aside: Console) -> int:
    """Measure, write and print."""
    with local_model() as url, progress(aside) as start:
        rows = measured(Server(url), start("latency", 2 * len(TURNS) + 1))
    told = {"model": "SmolLM2-135M", "window": CONTEXT, "reply_tokens": REPLY, "rows": rows, "ratio": ratios(rows)}
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    columns = ("tokens", "prefill_s", "cached_tokens", "cached_prefill_s", "decode_s", "seconds", "cached_seconds")
    table = Table("prompt", "turn", title=f"Seconds per decision, SmolLM2-135M on the CPU, {REPLY} tokens of reply")
    for column in columns:
        table.add_column(column.replace("_s", " s").replace("_", " "), justify="right")
    for row in rows:
        table.add_row(row["prompt"], str(row["turn"]), *(str(row.get(column, "does not fit" if column == "prefill_s" else "")) for column in columns))
    Console().print(table)
    Console().print(f"transcript over ledger, seconds, by turn: {told['ratio']}", highlight=False)
    return 0
