"""The terminal shows hops as they happen, and hostile text stays in its cell."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from graph.terminal import HopTable, chart, closing
from tests.graph.instrumented import moves, run
from tests.hostile import HOSTILE
from tests.scripted import dispatch

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def shown(events: list[dict], *, terminal: bool, width: int = 110) -> str:
    out = io.StringIO()
    with HopTable(Console(file=out, force_terminal=terminal, width=width, color_system="truecolor" if terminal else None, highlight=False)) as live:
        for event in events:
            live.feed(event)
    return out.getvalue()


async def test_each_hop_has_its_line_with_tokens_and_time() -> None:
    file, events = await run(12, replies=moves(12, planted={5: dispatch(("plumber", "c1: pipes"))}))
    lines = shown(events, terminal=False).splitlines()
    assert lines[0].split() == ["hop", "specialist", "status", "tokens", "in", "ms", "headline", "<-", "ask"]
    for step in file.ledger["steps"]:
        assert any(step["headline"] in line and step["specialist"] in line and step["ask"] in line for line in lines), step["n"]
    for decision in file.ledger["decisions"]:
        assert any(f"{decision['tokens_in']:,}" in line for line in lines), decision["n"]
    assert not any("\x1b" in line for line in lines)


async def test_closing_lines_say_what_is_open_and_the_figures() -> None:
    async def nothing(task):
        raise RuntimeError("down")

    file, _ = await run(2, work=nothing)
    lines = closing(file.ledger, file.archives)
    assert any(line.startswith("unsettled: c1 pothole at 12 Elm St (") for line in lines)
    tokens = [item["tokens_in"] for item in file.ledger["decisions"]]
    assert any(f"first {tokens[0]:,}, last {tokens[-1]:,}, most {max(tokens):,}" in line for line in lines)


@pytest.mark.parametrize(("turns", "told"), [(1, "1 hop, 3 decisions, 1 step; "), (2, "2 hops, 4 decisions, 2 steps; ")])
async def test_one_hop_is_a_hop(turns: int, told: str) -> None:
    file, _ = await run(turns)
    assert any(line.startswith(told) for line in closing(file.ledger, file.archives))


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("text", HOSTILE, ids=range(30))
def test_hostile_text_stays_in_its_cell(text: str, terminal: bool) -> None:
    sent = {"specialist": "permits", "ask": text, "handles": [], "step": 1, "criteria": ["c1"]}
    decision = {
        "event": "decision",
        "case": "c",
        "n": 1,
        "hop": 1,
        "action": "dispatch",
        "reason": text,
        "dispatch": [sent],
        "verdict": "ok",
        "detail": "",
    }
    decision |= {"tokens_in": 400, "tokens_cached": 0, "tokens_out": 9, "tokens_source": "estimated", "latency_ms": 3, "attempts": 1, "difficulty": 4}
    returned = {
        "event": "return",
        "case": "c",
        "n": 1,
        "specialist": "permits",
        "ask": text,
        "status": "done",
        "headline": text,
        "cause": "",
        "artifacts": [],
    }
    refused = decision | {"verdict": "repeat", "detail": text, "n": 2}
    out = shown([decision, returned | {"spent": {"ms": 5}}, refused, {"event": "stopped", "case": "c", "reason": text}], terminal=terminal)
    rows = [row for row in ESCAPES.sub("", out).replace("\r", "").split("\n") if row.strip()]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u200b]", ESCAPES.sub("", out).replace("\r", ""))
    assert "\x1b]" not in out and "\x1b[2J" not in out
    assert len(rows) == 4 and all(cell_len(row) <= (110 if terminal else 600) for row in rows)


def test_the_chart_keeps_its_width_and_its_largest_value() -> None:
    lines = chart(range(1, 1001), width=60)
    assert len(lines) == 4 and all(len(line) <= 60 for line in lines)
    assert lines[0].startswith("  1,000 ") and lines[0].endswith("█")
    assert chart([0, 0], width=40)[-1].split() == ["0"]
    assert not set("".join(chart([3, 5, 9], unicode=False))) & set("▁▂▃▄▅▆▇█")
