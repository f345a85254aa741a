"""What a query returns: the records, their ids, and the date up to which their source is known."""

import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from agents.city.records.places import Site
from agents.city.records.schema import Records

SHOWN = 80
"""Records that the text of a finding lists; of further ones it gives the number."""


class Record(Protocol):
    """Anything with an id to cite that can say itself in one line, id first."""

    @property
    def id(self) -> str: ...  # noqa: D102

    def line(self) -> str: ...  # noqa: D102


R = TypeVar("R", bound=Record, covariant=True)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Finding(Generic[R]):
    """The result of one search. Without items it says 'no record', which is a result and not an error."""

    kind: str
    title: str
    where: str
    source: str
    as_of: str
    items: tuple[R, ...]
    notes: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    """Numbers that free text mentions like record ids, and that no table holds; they are not repeated."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the records, each once."""
        return tuple(dict.fromkeys(item.id for item in self.items))

    @property
    def summary(self) -> str:
        """Return one line: how many records, as of when."""
        count = f"{len(self.items)} records" if len(self.items) != 1 else "1 record"
        return f"{self.title}: {count if self.items else 'no record'}, as of {self.as_of}"

    def text(self) -> str:
        """Return the finding as readable text that cites its ids."""
        lines = [self.summary, f"Source: {self.source}, as of {self.as_of}.", *(f"Note: {note}" for note in self.notes)]
        lines += [f"- {item.line()}" for item in self.items[:SHOWN]]
        if len(self.items) > SHOWN:
            lines.append(f"- {len(self.items) - SHOWN} more records, not listed")
        if not self.items:
            lines.append("No record: the search ran and the source lists nothing here. That does not prove that nothing exists.")
        text = "\n".join(lines) + "\n"
        for name in self.strangers:
            text = text.replace(name, "[number not on file]")
        return text


_ID_LIKE = re.compile(r"\b(?:\d{12}|V\d{3,}|[A-Z]{1,5}-?\d{5,})\b")
SOURCE_NAMES = {
    "cases": "311 service requests",
    "violations": "building and property violations",
    "permits": "building permits",
    "street_work": "street work permits",
    "sweeping": "street sweeping schedule",
}


def finding(records: Records, table: str, kind: str, title: str, site: Site, items: Iterable[R], notes: Iterable[str] = ()) -> Finding[R]:
    """Wrap records of one source table as a finding about a site."""
    found = tuple(items)
    named = {name for item in found for name in _ID_LIKE.findall(item.line())} - {item.id for item in found}
    strangers = tuple(sorted(named - records.on_file(named))) if named else ()
    return Finding(
        kind, f"{title}, {site.label}", site.label, SOURCE_NAMES[table], records.as_of(table), found, (f"filed as {site.filed}", *notes), strangers
    )


def made(kind: type[T], row: sqlite3.Row, **more: Any) -> T:
    """Build a record from the columns that have the names of its fields, and from `more`."""
    columns = row.keys()
    return kind(**{name: row[name] for name in kind.__annotations__ if name in columns}, **more)


def spoken(day: str) -> str:
    """Return a date, or words for a missing one."""
    return day or "no date"


def joined(*parts: str) -> str:
    """Join the parts that are not empty."""
    return ", ".join(part for part in parts if part)
