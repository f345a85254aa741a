"""Load city files of the documented layout into the records database."""

import csv
import datetime as dt
import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agents.city.records.layout import SOURCES, RowError, Source
from agents.city.records.schema import RecordsError, finish, writing

Progress = Callable[[str, int, int], None]
"""Called with file name, lines done and lines in all."""
STRIDE = 500
"""Lines of a file between two reports of progress."""


Rejected = tuple[str, str, str, str]
"""File, lines, cause and text of a row that was not loaded."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did."""

    counts: dict[str, int]
    """Rows loaded, by table."""
    causes: dict[str, dict[str, int]] = field(default_factory=dict)
    """Rows rejected, by file and cause."""
    rejects: Path | None = None
    """CSV file that lists each rejected row, or None when there is none."""
    without_coordinates: int = 0
    """Rows kept without their coordinates, because these lie outside the city."""


def import_records(folder: Path, path: Path, progress: Progress | None = None) -> ImportReport:
    """Load the files in `folder` (or its subfolder boston) into a new database at `path`; the old one is replaced at the end.

    Raises:
        RecordsError: Files or columns are missing, or the database cannot be written.
    """
    files = find_files(folder)
    rejected: list[Rejected] = []
    counts: dict[str, int] = {}
    dated = {}
    with writing(path) as connection:
        for source in SOURCES:
            file, loaded = files[source.table], 0
            dated[source.table] = dt.datetime.fromtimestamp(file.stat().st_mtime, dt.UTC).date().isoformat()
            for lines, cells, header in read(file, source, progress):
                try:
                    if isinstance(cells, str):
                        raise RowError(cells)
                    if len(cells) != len(header):
                        raise RowError("wrong number of columns")
                    if any("\ufffd" in cell for cell in cells):
                        raise RowError("not UTF-8")
                    source.insert(connection, dict(zip(header, cells, strict=True)))
                    loaded += 1
                except RowError as error:
                    text = "" if isinstance(cells, str) else f"| {' | '.join(cells)}"[:500]
                    rejected.append((file.name, lines, str(error), text))
            counts[source.table] = loaded
        lost = finish(connection, "import", dated)
    causes: dict[str, Counter[str]] = {}
    for name, _, cause, _ in rejected:
        causes.setdefault(name, Counter())[cause] += 1
    return ImportReport(counts, {file: dict(counter) for file, counter in causes.items()}, write_rejects(path, rejected), lost)


def find_files(folder: Path) -> dict[str, Path]:
    """Return the file of each table.

    Raises:
        RecordsError: The folder or files are missing; names them all.
    """
    if not folder.is_dir():
        raise RecordsError(f"{folder} is not a folder: give the folder that holds the city files")
    base = folder / "boston" if (folder / "boston").is_dir() else folder
    missing = [source.file for source in SOURCES if not (base / source.file).is_file()]
    if missing:
        raise RecordsError(f"missing in {base}: {', '.join(missing)}")
    return {source.table: base / source.file for source in SOURCES}


def read(file: Path, source: Source, progress: Progress | None) -> Iterator[tuple[str, list[str] | str, list[str]]]:
    """Yield line numbers, cells (or the cause why there are none) and header of each row; blank lines are no rows.

    Raises:
        RecordsError: Columns are missing, or the file cannot be read.
    """
    try:
        with file.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
            total = sum(1 for _ in stream)
            stream.seek(0)
            reader = csv.reader(stream)
            header = [name.strip() for name in next(reader, [])]
            if absent := [name for name in source.columns if name not in header]:
                raise RecordsError(f"{file.name} lacks the columns {', '.join(absent)}")
            while True:
                first = reader.line_num + 1
                try:
                    cells: list[str] | str | None = next(reader, None)
                except csv.Error:
                    cells = "unreadable line"
                if cells is None:
                    break
                last = reader.line_num
                if cells:
                    yield (str(first) if last <= first else f"{first}-{last}"), cells, header
                if progress and last // STRIDE != (first - 1) // STRIDE:
                    progress(file.name, last, total)
            if progress:
                progress(file.name, total, total)
    except OSError as error:
        raise RecordsError(f"{file} cannot be read: {error}") from error


def write_rejects(path: Path, rejected: list[Rejected]) -> Path | None:
    """List rejected rows beside the database; an old list goes away when there is nothing to list."""
    target = path.with_suffix(".rejects.csv")
    if not rejected:
        target.unlink(missing_ok=True)
        return None
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    try:
        with draft.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["file", "lines", "cause", "row"])
            writer.writerows(rejected)
        os.replace(draft, target)
    except OSError as error:
        raise RecordsError(f"list of rejected rows {target} cannot be written: {error}") from error
    finally:
        draft.unlink(missing_ok=True)
    return target
