"""What people see of an evaluation: progress while it runs, tables at its end, and what changed since a baseline."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

JSON = Mapping[str, Any]
QUARTERS = 4
SET_ROWS = (
    "items first exact jaccard jaccard_credited precision recall consults order_kept emergencies false_alarms refused legal ended_by_itself".split()
)
DEPTH_COLUMNS = ("items", "early", "middle", "late", "difference", "interval", "faults")
ABLATION_ROWS = "items tokens_early tokens_late fits_early fits_late early late difference interval finish_early finish_late faults".split()


@contextmanager
def progress(console: Console) -> Iterator[Callable[[str, int], Callable[[], None]]]:
    """Yield `start(part, total)`, which opens a bar and returns its tick; plain lines, at each quarter, where this is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:

        def start(part: str, total: int) -> Callable[[], None]:
            task, done = bar.add_task(part, total=total), 0

            def tick() -> None:
                nonlocal done
                done += 1
                bar.advance(task)
                if not console.is_terminal and done * QUARTERS // total > (done - 1) * QUARTERS // total:
                    console.print(f"{part}: {done} of {total}", highlight=False)

            return tick

        yield start


def tables(result: JSON) -> list[Table]:
    """Return the figures as tables that fit a terminal."""
    made = []
    if result["sets"]:
        made.append(_upright("Texts through the desk", SET_ROWS, result["sets"]))
    if result["depth"]:
        rows = {**result["depth"]["kinds"], **{f"set {name}": row for name, row in result["depth"]["sets"].items()}, "all": result["depth"]}
        made.append(_table("The right next choice, by depth", "kind", DEPTH_COLUMNS, rows))
    if result["finish"]:
        made.append(_table("Wrong ends, share by depth", "error", DEPTH_COLUMNS, result["finish"]))
    if result["ablation"]:
        made.append(_upright("The same decisions on three prompts", ABLATION_ROWS, result["ablation"]))
    return made


def changes(before: JSON, now: JSON) -> Table:
    """Return every figure that differs from the baseline's."""
    old, new = dict(_flat(before)), dict(_flat(now))
    table = Table("figure", title="Changed since the baseline")
    for heading in ("before", "now", "difference"):
        table.add_column(heading, justify="right")
    for name in sorted(old.keys() | new.keys()):
        was, has = old.get(name), new.get(name)
        if was is None or has is None or not math.isclose(was, has, abs_tol=5e-4):
            table.add_row(name, _shown(was), _shown(has), f"{has - was:+.3f}".removesuffix(".000") if was is not None and has is not None else "")
    return table


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, int | float]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            if key not in ("seconds", "misses", "hops", "done", "planned", "complete"):
                yield from _flat(part, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _flat(part, f"{name}[{place}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value


def _table(title: str, first: str, columns: tuple[str, ...], rows: Mapping[str, JSON]) -> Table:
    table = Table(first, title=title)
    for column in columns:
        table.add_column(column.replace("_", " "), justify="right")
    for name, row in rows.items():
        table.add_row(name, *(_shown(row.get(column)) for column in columns))
    return table


def _upright(title: str, rows: list[str], columns: Mapping[str, JSON]) -> Table:
    """Return a table with one line per figure, for things that have many."""
    table = Table("", title=title)
    for name in columns:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(row.replace("_", " "), *(_shown(column.get(row)) for column in columns.values()))
    return table


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return " to ".join(f"{part:+.2f}" for part in value)
    return str(value) if isinstance(value, int) else f"{value:.3f}"
