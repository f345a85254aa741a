"""The records database: its tables, how it is opened for reading, and how it is written whole or not at all."""

import os
import sqlite3
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from agents.city.records.addresses import Streets, split
from agents.city.records.layout import SOURCES
from contracts import DeskError

RECORDS_FILE = "records.db"
VERSION = "1"
REMEDY = "make the sample again with `python -m graph records sample`, or import records with `records import DIR`"

DDL = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE sources (name TEXT PRIMARY KEY, file TEXT, rows INTEGER, as_of TEXT);
CREATE TABLE places (place TEXT, sam_id TEXT, address TEXT, low INTEGER, high INTEGER, suffix TEXT, street TEXT, cross_street TEXT, area TEXT,
    lat REAL, lon REAL, UNIQUE (place, sam_id));
{"".join(source.ddl for source in SOURCES)}
"""
INDEXES = ";".join(
    f"CREATE INDEX {table}_{column} ON {table} ({column})"
    for table, columns in {
        "cases": ("sam_id", "place", "street", "lat"),
        "violations": ("sam_id", "place", "street", "case_no"),
        "permits": ("sam_id", "place", "street"),
        "street_work": ("street",),
        "sweeping": ("street",),
        "places": ("street", "sam_id"),
    }.items()
    for column in columns
)


class RecordsError(DeskError, RuntimeError):
    """The records database is missing, damaged, of another version, or cannot be written."""


class Records:
    """The records database, read-only. Each query has its own connection, so any thread may ask."""

    def __init__(self, path: Path) -> None:
        """Name the file; nothing is opened yet."""
        self.path = path

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return all rows of a query.

        Raises:
            RecordsError: The file is missing, damaged or no records database.
        """
        try:
            with closing(sqlite3.connect(f"file:{quote(str(self.path.absolute()))}?mode=ro", uri=True)) as connection:
                connection.row_factory = sqlite3.Row
                return connection.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise RecordsError(f"records database {self.path} cannot be read ({error}): {REMEDY}") from error

    def on_file(self, ids: Collection[str]) -> set[str]:
        """Return those of the ids that some table holds."""
        marks = ", ".join("?" * len(ids))
        tables = {"cases": "case_id", "violations": "case_no", "permits": "permit_number", "street_work": "permit"}
        sql = " UNION ".join(f"SELECT {column} AS id FROM {table} WHERE {column} IN ({marks})" for table, column in tables.items())
        return {row["id"] for row in self.rows(sql, [*ids] * len(tables))}

    def as_of(self, source: str) -> str:
        """Return the date up to which a source is known, as an ISO date, or 'unknown date'."""
        found = self.rows("SELECT as_of FROM sources WHERE name = ?", (source,))
        return str(found[0]["as_of"]) if found and found[0]["as_of"] else "unknown date"

    @cached_property
    def streets(self) -> Streets:
        """Every street name on file."""
        tables = ("places", "sweeping", "street_work")
        return Streets(row["street"] for row in self.rows(" UNION ".join(f"SELECT street FROM {table}" for table in tables)) if row["street"])

    @cached_property
    def areas(self) -> tuple[str, ...]:
        """Every part of the city named on file, in lower case, longest first; the city's own name is no part."""
        names = {part.strip() for row in self.rows("SELECT DISTINCT area FROM places") for part in row["area"].split("/")}
        return tuple(sorted((name for name in names if len(name) > 3 and name != "boston"), key=lambda name: (-len(name), name)))


def open_records(path: Path) -> Records:
    """Open a records database for reading.

    Raises:
        RecordsError: There is none, it is damaged, or it was made by another version.
    """
    if not path.is_file():
        raise RecordsError(f"no records database at {path}: run `python -m graph records sample`, or `records import DIR`")
    records = Records(path)
    version = records.rows("SELECT value FROM meta WHERE name = 'version'")
    if not version or version[0]["value"] != VERSION:
        raise RecordsError(f"records database {path} is of another version: {REMEDY}")
    return records


def finish(connection: sqlite3.Connection, origin: str, dated: Mapping[str, str]) -> int:
    """Derive places and dates of the sources; return how many rows lost coordinates that lie outside the city."""
    lost = 0
    for table in ("cases", "violations"):
        outside = " OR ".join(f"abs({axis} - (SELECT avg({axis}) FROM buildings)) > 0.5" for axis in ("lat", "lon"))
        lost += connection.execute(f"UPDATE {table} SET lat = NULL, lon = NULL WHERE {outside}").rowcount
    for table in ("buildings", "cases", "violations", "permits"):
        rows = connection.execute(
            "SELECT place, sam_id, address, street, cross_street, area, max(lat), max(lon) "
            f"FROM {table} WHERE place != '' GROUP BY place, sam_id ORDER BY place, sam_id"
        ).fetchall()
        places = ((place, sam_id, address, *split(address)[:3], *rest) for place, sam_id, address, *rest in rows)
        connection.executemany("INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", places)
    for source in SOURCES:
        latest = ", ".join(f"coalesce(max({column}), '')" for column in source.dates)
        found = connection.execute(f"SELECT count(*), max({latest or 0}, '') FROM {source.table}").fetchone()
        as_of = found[1] if latest else dated[source.table]
        connection.execute("INSERT INTO sources VALUES (?, ?, ?, ?)", (source.table, source.file, found[0], as_of))
    connection.executemany("INSERT INTO meta VALUES (?, ?)", [("version", VERSION), ("origin", origin)])
    return lost


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Give an empty database that takes the place of `path` only when the block ends well.

    Raises:
        RecordsError: The folder cannot be written.
    """
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.executescript(DDL)
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")
            connection.executescript(INDEXES)
        os.replace(draft, path)
    except (OSError, sqlite3.OperationalError) as error:
        raise RecordsError(f"records database {path} cannot be written: {error}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
