"""Evaluation sets as files: one labelled text per line, checked when it is read. README.md documents the fields."""

import json
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field

SETS = Path(__file__).parent / "sets"
NAMES = ("housing", "permits", "potholes", "sanitation")


class Kinded(Protocol):
    """What is of a kind."""

    @property
    def kind(self) -> str:
        """Name of the kind."""


K = TypeVar("K", bound=Kinded)


class Before(BaseModel):
    """The turn that a follow-up refers to."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    specialist: str
    ask: str
    headline: str


class Item(BaseModel):
    """One labelled text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    kind: str
    text: str = Field(min_length=1)
    gold: frozenset[str]
    acceptable_extra: frozenset[str] = frozenset()
    order: tuple[tuple[str, str], ...] = ()
    emergency: bool = False
    first: frozenset[str] | None = None
    second: frozenset[str] | None = None
    depth: Literal[2, 12, 25] | None = None
    before: Before | None = None


def balanced(items: Sequence[K], limit: int | None) -> list[K]:
    """Return at most `limit` items, taken from the kinds in turn, the same ones every time."""
    if limit is None or limit >= len(items):
        return list(items)
    kinds: dict[str, list[K]] = {}
    for item in items:
        kinds.setdefault(item.kind, []).append(item)
    turns = [item for row in zip_longest(*kinds.values()) for item in row if item is not None]
    return turns[:limit]


def chosen(names: Sequence[str], data: Path | None) -> dict[str, list[Item]]:
    """Return sets by name: `complaints` and `scenarios` of the data folder, a set in `sets/`, or the path of a JSONL file.

    Raises:
        ValueError: There is no such set, or it does not fit the schema.
    """
    outside = {"complaints": complaints, "scenarios": scenarios}
    found: dict[str, list[Item]] = {}
    for name in names or (*sorted(path.stem for path in SETS.glob("*.jsonl")), *(outside if data else ())):
        path = SETS / f"{name}.jsonl" if (SETS / f"{name}.jsonl").exists() else Path(name)
        if name in outside and data is None:
            raise ValueError(f"{name} needs DESK_DATA, the folder with the labelled city texts")
        if name not in outside and not path.is_file():
            raise ValueError(f"no set {name}: it is neither in {SETS.name}/ nor a file")
        found[path.stem] = outside[name](data) if name in outside and data else list(read(path))
    if empty := [name for name, items in found.items() if not items]:
        raise ValueError(f"the set {empty[0]} is empty")
    return found


def own() -> list[Item]:
    """Return the project's own set."""
    return list(read(SETS / "desk.jsonl"))


def complaints(data: Path) -> list[Item]:
    """Return the real complaint texts of the data folder; they may not be copied into the project."""
    return [
        _item(line, kind="complaint", text=line["text"], acceptable_extra=line["acceptable_extra"])
        for line in _lines(data / "routing" / "complaints_dev.jsonl")
    ]


def scenarios(data: Path, field: str = "record_text") -> list[Item]:
    """Return the multi-department scenarios of the data folder with their address filled in; `text` where there is no `record_text`."""
    return [
        _item(line, kind="scenario", text=(line.get(field) or line["text"]).replace("{address}", str(line["grounding"].get("address", ""))))
        for line in _lines(data / "routing" / "desk_scenarios.jsonl")
    ]


def read(path: Path) -> Iterator[Item]:
    """Yield the items of a set.

    Raises:
        ValueError: A line does not fit the schema; the message names file and line.
    """
    for number, line in enumerate(_lines(path), 1):
        try:
            yield Item.model_validate(line)
        except ValueError as wrong:
            raise ValueError(f"{path.name}, line {number}: {wrong}") from wrong


def _item(line: dict[str, Any], **fields: Any) -> Item:
    return Item.model_validate({"id": line["id"], "gold": line["gold"], "order": line["order"], "emergency": line["emergency"], **fields})


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)
