"""The files of the documented layout, the table that each fills, and what a row must have to be loaded.

One field reads `column[=csv column][:kind]`. Kinds: text (default), lower, id, day, number, count, flag, weeks, street (one spelling), or the words
of a closed list `a|b`; `!` refuses an empty value. `@area` stands for address, place, streets, area and id of a row that lies somewhere,
`:point` for its lat and lon too.
"""

import datetime as dt
import math
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agents.city.records.addresses import split, street_key
from contracts import one_line

MOST = 2_000
"""Characters of a cell that are kept."""
_ID = re.compile(r"^(?=.*\d)[A-Za-z0-9][A-Za-z0-9_-]{0,23}$")
# sam_id is the city's id of an address; `place` (number, street, area) stands in for it where a source has none.
_AT = ("address", "place", "street", "cross_street", "area", "sam_id", "lat", "lon")
_TYPES = {"number": "REAL", "count": "INTEGER", "flag": "INTEGER"}


class RowError(ValueError):
    """A row cannot be loaded; the message is the cause it is counted under."""


@dataclass(frozen=True)
class Source:
    """One file and its table."""

    table: str
    file: str
    spec: str
    key: str
    """Column or columns that may not repeat."""
    dates: tuple[str, ...] = ()
    """Columns whose latest date says up to when the source is known; none: the date of the file."""

    @cached_property
    def fields(self) -> tuple[tuple[str, str, str], ...]:
        """Return column, CSV column and kind of each field."""
        found = (re.fullmatch(r"(@?\w+)(?:=(\w+))?(?::(\S+))?", word) for word in self.spec.split())
        return tuple((match[1], match[2] or match[1], match[3] or "text") for match in found if match)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Return the CSV columns that must be there."""
        where = ("address", "sam_id", "lat", "lon")
        names = [([name[1:], *where[: 4 if kind == "point" else 2]] if name[0] == "@" else [csv]) for name, csv, kind in self.fields]
        return tuple(dict.fromkeys(column for group in names for column in group))

    @property
    def ddl(self) -> str:
        """Return the statement that makes the table."""
        parts: list[str] = []
        for name, _, kind in self.fields:
            at = [f"{column} {'REAL' if column in ('lat', 'lon') else 'TEXT'}" for column in _AT]
            parts += at if name[0] == "@" else [f"{name} {_TYPES.get(kind, 'TEXT')}"]
        return f"CREATE TABLE {self.table} ({', '.join(parts)}, UNIQUE ({self.key}));"

    def insert(self, connection: sqlite3.Connection, row: Mapping[str, str]) -> None:
        """Load one row.

        Raises:
            RowError: The row cannot be loaded; says why.
        """
        values: list[Any] = []
        for name, column, kind in self.fields:
            values += _location(row, name[1:]) if name[0] == "@" else [_value(row, column, kind)]
        try:
            connection.execute(f"INSERT INTO {self.table} VALUES ({', '.join('?' * len(values))})", values)
        except sqlite3.IntegrityError:
            raise RowError("repeated id or row") from None


def _value(row: Mapping[str, str], column: str, kind: str) -> Any:
    text = one_line(row[column])[:MOST]
    needed, kind = kind.endswith("!"), kind.rstrip("!")
    if needed and not text:
        raise RowError(f"no {column}")
    if kind == "id" and not _ID.match(text):
        raise RowError(f"no usable {column}")
    if kind == "weeks" and not re.fullmatch("[1-5]*", text):
        raise RowError(f"bad {column}")
    if "|" in kind and text.lower() not in kind.split("|"):
        raise RowError(f"unknown {column}")
    if kind == "day":
        try:
            return dt.datetime.fromisoformat(text).date().isoformat() if text else ""
        except ValueError:
            raise RowError(f"bad date in {column}") from None
    if kind in ("number", "count"):
        number = _number(text, column)
        return int(number) if kind == "count" and number is not None else number
    if kind == "flag":
        return int(text.lower() in ("t", "true", "1"))
    return street_key(text) if kind == "street" else text.lower() if kind == "lower" or "|" in kind else text


def _number(text: str, column: str) -> float | None:
    try:
        number = float(text) if text else None
    except ValueError:
        number = math.nan
    if number is not None and not math.isfinite(number):
        raise RowError(f"bad number in {column}")
    return number


def _location(row: Mapping[str, str], area: str) -> list[Any]:
    address, part, sam = one_line(row["address"])[:MOST], row[area].strip().lower(), row["sam_id"].strip()
    low, high, suffix, street, cross = split(address)
    number = "" if low is None else f"{low}-{high}{suffix} "
    place = f"{number}{street}{'&' + cross if cross else ''}|{part}" if street else ""
    lat, lon = _number(row.get("lat", "").strip(), "lat"), _number(row.get("lon", "").strip(), "lon")
    if lat is not None and not -90 <= lat <= 90 or lon is not None and not -180 <= lon <= 180:
        raise RowError("bad coordinates")
    return [address, place, street, cross, part, "" if sam == "0" else sam, lat, lon]


SOURCES = (
    Source(
        "cases",
        "service_requests_2015.csv",
        "case_id:id opened_at:day! target_at:day closed_at:day on_time:lower status:open|closed "
        "closure_reason reason type department specialist @neighborhood:point",
        "case_id",
        ("opened_at", "closed_at"),
    ),
    Source(
        "violations",
        "building_violations.csv",
        "case_no:id status_date:day! status:open|closed|void code description specialist @city:point",
        "case_no, status_date, status, code, description, address, sam_id",
        ("status_date",),
    ),
    Source(
        "permits",
        "building_permits_sample.csv",
        "permit_number:id permit_type work_type=description work_code=work_type comments declared_valuation:number issued_date:day "
        "expiration_date:day status:lower occupancy_type @city",
        "permit_number",
        ("issued_date",),
    ),
    Source(
        "street_work",
        "street_work_permits.csv",
        "permit:id project_category construction_notes permittee contractor low=address_1:count high=address_2:count street:street "
        "street_name=street:text! cross_street=intersection:street from_street=from to_street=to area=neighborhood:lower work_schedule "
        "expiration_date:day estimated_completion_date:day status",
        "permit, construction_notes, low, high, street, cross_street, expiration_date, estimated_completion_date, status",
        ("estimated_completion_date",),
    ),
    Source(
        "sweeping",
        "street_sweeping_schedule.csv",
        "main_id:id street:street street_name=street:text! area=district_name:lower side from_street=from to_street=to starts=start ends=end "
        "weeks:weeks days year_round:flag long_season=north_end_pilot:flag",
        "main_id",
    ),
    Source("buildings", "buildings.csv", "land_use zip ward @neighborhood:point", "sam_id"),
    Source("service_types", "service_types.csv", "type:text! reason subject n_2015:count specialist", "type, reason, subject"),
)
