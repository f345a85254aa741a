"""The terminal: a live table of hops while a case runs, and the closing lines with a chart of the series.

Plain lines, one for each event, where output is not a terminal.
"""

import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from contracts import one_line
from ledger.alarms import alarms
from ledger.figures import figures, history

JSON = dict[str, Any]
BARS = " ▁▂▃▄▅▆▇█"
ASCII_BARS = " ..::||##"
STYLES = {"done": "green", "partial": "yellow", "blocked": "yellow", "failed": "red", "rejected": "red", "refused": "red"}


WIDEST = 240
"""Characters of a text that one line shows; contracts cap texts at fewer, an event from elsewhere may not."""


class Row(NamedTuple):
    """One line of the table."""

    hop: str
    specialist: str
    ask: str
    status: str
    headline: str
    tokens: str = ""
    ms: str = ""


HEADER = Row("hop", "specialist", "ask", "status", "headline", "tokens in", "ms")
_WIDTHS = {"hop": 4, "specialist": 13, "status": 8, "tokens": 9, "ms": 7}


class HopTable:
    """The table of hops, fed with the graph's custom stream events; it may be left and entered again, as for a question."""

    def __init__(self, console: Console | None = None) -> None:
        """Write to `console`, or to standard error."""
        self.console = console or Console(stderr=True, highlight=False)
        self._pending: dict[int, tuple[Row, float]] = {}
        self._hop: dict[int, tuple[str, str]] = {}
        self._display: Live | None = None
        self._routing = False
        self._begun = False

    def __enter__(self) -> Self:
        """Show the table's head, and what is pending where output is a terminal."""
        if not self._begun:
            self._begun = True
            self._print(HEADER, "bold")
        if self.console.is_terminal:
            self._display = Live(get_renderable=self._running, console=self.console, transient=True, refresh_per_second=8)
            self._display.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Take down what is pending; what was printed stays."""
        if self._display is not None:
            self._display.stop()
            self._display = None

    def feed(self, event: JSON) -> None:
        """Show one custom stream event; kinds that are not known are passed over."""
        handler = getattr(self, f"_on_{event.get('event')}", None)
        if handler is not None:
            handler(event)
        self._routing = event.get("event") in ("opened", "return", "rejected", "answer", "compaction") and not self._pending

    def _on_decision(self, event: JSON) -> None:
        hop, tokens = str(event["hop"]), f"{event['tokens_in']:,}"
        if event["verdict"] != "ok":
            why = f"{event['verdict']}: {_said(event['detail'])}"
            self._print(Row(hop, "supervisor", _said(event["reason"]), "refused", why, tokens, _ms(event)))
        elif event["action"] != "dispatch":
            self._print(Row(hop, "supervisor", "", str(event["action"]), _said(event["reason"]), tokens, _ms(event)))
        for index, sent in enumerate(event["dispatch"] if event["verdict"] == "ok" else ()):
            self._hop[sent["step"]] = hop, "" if index else tokens
            row = Row(hop, sent["specialist"], _said(sent["ask"]), "running", "", "" if index else tokens)
            self._pending[sent["step"]] = row, time.monotonic()

    def _on_return(self, event: JSON) -> None:
        hop, tokens = self._hop.pop(event["n"], ("", ""))
        self._pending.pop(event["n"], None)
        said = _said(event["headline"] or event["cause"])
        ms = f"{event['spent'].get('ms', 0):,}"
        self._print(Row(hop, event["specialist"], _said(event["ask"]), event["status"], said, tokens, ms))

    _on_rejected = _on_return

    def _on_compaction(self, event: JSON) -> None:
        self._note("compacted", f"steps up to {event['upto_step']} went whole to {event['handle']}")

    def _on_answer(self, event: JSON) -> None:
        self._note("answered" if not event["lapsed"] else "lapsed", str(event["question"]))

    def _on_alarm(self, event: JSON) -> None:
        self._note("alarm", _said(event["message"]), "yellow")

    def _on_stopped(self, event: JSON) -> None:
        self._note("stopped", _said(event["reason"]), "yellow")

    def _note(self, what: str, said: str, style: str = "dim") -> None:
        self._print(Row("", "", "", what, said), style)

    def _running(self) -> Group:
        now = time.monotonic()
        rows = [row._replace(ms=f"{1000 * (now - since):,.0f}") for row, since in self._pending.values()]
        if self._routing:
            rows.append(Row("", "supervisor", "", "routing", ""))
        return Group(*(self._line(row, "dim") for row in rows))

    def _print(self, row: Row, style: str = "") -> None:
        if self.console.is_terminal:
            self.console.print(self._line(row, style))
        else:
            self.console.print(_plain(row), markup=False, highlight=False, soft_wrap=True, emoji=False)

    def _line(self, row: Row, style: str) -> Table:
        """Return one row with the same column widths each time, so that rows printed apart stand in line."""
        rest = max(20, self.console.width - sum(_WIDTHS.values()) - 7)
        table = Table.grid(padding=(0, 1, 0, 0))
        cells = []
        for name, value in zip(Row._fields, row, strict=True):
            width = _WIDTHS.get(name) or (rest * 2 // 5 if name == "ask" else rest - rest * 2 // 5)
            table.add_column(width=width, no_wrap=True, overflow="ellipsis", justify="right" if name in ("hop", "tokens", "ms") else "left")
            colour = STYLES.get(value, "") if name == "status" else ""
            cells.append(Text(value, style=f"{style} {colour}".strip()))
        table.add_row(*cells)
        return table


def _said(text: str) -> str:
    """Return a text from outside as one bounded line."""
    return one_line(text[:WIDEST])


def _ms(event: JSON) -> str:
    return f"{event['latency_ms']:,}"


def _plain(row: Row) -> str:
    cells = [f"{row.hop:>4}", f"{row.specialist:<13}", f"{row.status:<9}", f"{row.tokens:>9}", f"{row.ms:>7}", " ", row.headline]
    if row.ask:
        cells.append(f"<- {row.ask}" if row is not HEADER else "<- ask")
    return " ".join(cells).rstrip()


def closing(ledger: JSON, archives: Mapping[str, JSON] | None = None, *, width: int = 80, unicode: bool = True) -> list[str]:
    """Return the lines after a run: what was not settled and why, alarms, the figures, and the series as a chart."""
    report = figures(ledger, archives=archives)
    past, _ = history(ledger, {}, archives or {})
    said = {step["n"]: step["cause"] or step["headline"] for step in past.steps}
    lines = [_unsettled(item, said) for item in ledger["criteria"] if item["status"] != "met"]
    lines += [f"alarm: {alarm.message}" for alarm in alarms(report)]
    tokens = [row.tokens_in for row in report.decisions]
    if not tokens:
        return lines
    repeats = f"{report.repeats_justified} justified, {report.repeats_unjustified} not, {report.repeats_refused} refused"
    counts = {"hop": report.hops, "decision": ledger["counts"]["decisions"], "step": report.steps}
    told = ", ".join(f"{count} {what}{'s' * (count != 1)}" for what, count in counts.items())
    lines.append(f"{told}; repeats: {repeats}")
    source = " and ".join(sorted({row.tokens_source for row in report.decisions}))
    lines.append(
        f"router tokens in per decision ({source}): first {tokens[0]:,}, last {tokens[-1]:,}, most {max(tokens):,}, budget {report.budget:,}"
    )
    return [*lines, *chart(tokens, width=width, unicode=unicode)]


def _unsettled(item: JSON, said: Mapping[int, str]) -> str:
    tried = f"step {item['step']}: {said.get(item['step']) or 'archived'}" if item["step"] else ""
    why = item["reason"] or tried or "nobody has worked on it"
    return one_line(f"{item['status'].replace('_', ' ')}: {item['id']} {item['text']} ({why})")


def chart(values: Sequence[int], *, width: int = 80, height: int = 4, unicode: bool = True) -> list[str]:
    """Draw a series as bars from zero, in `height` lines; more values than columns are drawn by the largest of each bin."""
    room = max(10, width - 9)
    bins = min(room, len(values))
    wide = max(1, min(3, room // bins))
    tops = [max(values[index * len(values) // bins : (index + 1) * len(values) // bins]) for index in range(bins)]
    most, bars = max(*tops, 1), BARS if unicode else ASCII_BARS
    lines = []
    for level in reversed(range(height)):
        cells = "".join(bars[max(0, min(8, round(8 * height * top / most) - 8 * level))] * wide for top in tops)
        label = f"{most:>7,}" if level == height - 1 else f"{0:>7}" if level == 0 else " " * 7
        lines.append(f"{label} {cells}".rstrip())
    return lines
