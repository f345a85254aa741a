"""What one run's page shows, taken from a ledger file: one pass over its history, one prompt per decision as what it adds to the one before."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson
from markupsafe import Markup

from contracts import LedgerError, one_line
from graph.board.charts import Lanes, Series, lanes, series
from graph.board.pages import LONGEST, visible
from graph.files import LedgerFile
from ledger.alarms import Alarm, alarms
from ledger.figures import figures, history
from ledger.replay import Rebuilt, rebuild_all
from ledger.report import Report, Row
from ledger.view import sent_by

JSON = dict[str, Any]
ANSWER = 20_000
"""Characters of an answer that the page shows."""
_KEPT = ("action", "reason", "verdict", "detail", "justified", "raw", "model", "method", "prompt_sha256", "out_of_scope")
_UNSAFE = "<>&'\u2028\u2029"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Everything that the template of a run prints."""

    thread: str | None
    """Thread of the server; None in a static file."""
    live: bool
    digest: str
    goal: str
    goal_cut: int
    """Characters of the goal in all when the page shows only its head, else 0."""
    goal_handle: str | None
    status: str
    reason: str
    opened: str
    report: Report
    alarms: tuple[Alarm, ...]
    largest: int
    stored: str
    sources: str
    series: Series
    lanes: Lanes
    statuses: list[str]
    criteria: list[JSON]
    questions: list[JSON]
    asked: list[JSON]
    steps: list[JSON]
    rows: list[tuple[Row, JSON]]
    ticks: dict[int, str]
    artifacts: list[JSON]
    answer: Markup
    data: Markup


def page_of(file: LedgerFile, *, thread: str | None = None, status: str = "", live: bool = False) -> Page:
    """Lay out one run; `status` is the server's word for a thread whose case is open."""
    ledger = file.ledger
    past, missing = history(ledger, file.artifacts, file.archives)
    report = figures(ledger, file.artifacts, file.archives)
    rebuilt, why = _rebuilt(file) if missing is None else ([], f"the archived stretch {missing} is missing")
    rows = list(zip(report.decisions, past.decisions, strict=True))
    same = {item.n: item.same for item in rebuilt}
    drawn = series(report)
    asked = [item for item in past.questions if item["status"] == "open"] if ledger["status"] == "open" else []
    return Page(
        thread=thread,
        live=live,
        digest=f"{ledger['digest'][:16]} {status}",
        goal=ledger["goal"],
        goal_cut=len(ledger["goal"]) if len(ledger["goal"]) > LONGEST else 0,
        goal_handle=ledger["goal_handle"],
        status=status if status and ledger["status"] == "open" else ledger["status"],
        reason=ledger["reason"],
        opened=ledger["opened_at"][:19].replace("T", " "),
        report=report,
        alarms=alarms(report),
        largest=max((row.prompt_tokens for row in report.decisions), default=0),
        stored=_size(report.stored_bytes),
        sources=" and ".join(sorted({row.tokens_source for row in report.decisions})),
        series=drawn,
        lanes=lanes(report, past.steps),
        statuses=sorted({step["status"] for step in past.steps}),
        criteria=ledger["criteria"],
        questions=past.questions,
        asked=asked,
        steps=past.steps,
        rows=rows,
        ticks={n: "✓" if fine else "✗" for n, fine in same.items()},
        artifacts=[past.artifacts[alias] for alias in sorted(past.artifacts, key=_alias_key)],
        answer=Markup.escape("\n".join(map(one_line, file.answer[:ANSWER].splitlines()))),
        data=script_json(
            {
                "decisions": [_decision(row, item, past.steps, same.get(row.n)) for row, item in rows],
                "prompts": _deltas(rebuilt),
                "system": rebuilt[0].prompt.system if rebuilt else "",
                "why": why,
                "numbers": drawn.numbers,
            }
        ),
    )


def script_json(value: Any) -> Markup:
    """Return JSON that no text in it can break out of its script element."""
    text = orjson.dumps(value).decode()
    for char in _UNSAFE:
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)


def _rebuilt(file: LedgerFile) -> tuple[list[Rebuilt], str]:
    try:
        return list(rebuild_all(file.ledger, file.artifacts, file.archives)), ""
    except LedgerError as error:
        return [], str(error)


def _deltas(rebuilt: Iterable[Rebuilt]) -> list[tuple[int, list[str]]]:
    """Return each prompt as the number of lines it keeps from the start of the one before, and the lines that follow."""
    deltas: list[tuple[int, list[str]]] = []
    before: list[str] = []
    for item in rebuilt:
        lines = item.prompt.user.split("\n")
        kept = next((index for index, pair in enumerate(zip(lines, before, strict=False)) if pair[0] != pair[1]), min(len(lines), len(before)))
        deltas.append((kept, lines[kept:]))
        before = lines
    return deltas


def _decision(row: Row, item: JSON, steps: list[JSON], same: bool | None) -> JSON:
    tokens = ("tokens_in", "tokens_cached", "tokens_out", "tokens_source", "prompt_tokens", "bound")
    numbers = ("n", "hop", "verdicts", *tokens, "attempts", "difficulty", "latency_ms")
    move = " + ".join(row.moves) if item["action"] != "dispatch" else f"dispatch {' + '.join(row.moves)}"
    sent = [{"specialist": work["specialist"], "ask": visible(work["ask"]), "handles": work["handles"]} for work in sent_by(item, steps)]
    shown = {key: getattr(row, key) for key in numbers} | {key: visible(item[key]) for key in _KEPT}
    return shown | {"at": item["at"][:19].replace("T", " "), "move": move, "dispatch": sent, "same": same}


def _alias_key(alias: str) -> tuple[str, int, int]:
    number, _, part = alias[1:].partition(".")
    return alias[0], int(number), int(part or 0)


def _size(count: int) -> str:
    for unit, size in (("MB", 10**6), ("KB", 10**3)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count} bytes"
