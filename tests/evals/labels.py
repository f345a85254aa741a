"""Evaluation sets as files: one labelled text per line, checked when it is read. README.md documents the fields."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

SETS = Path(__file__).parent / "sets"
NAMES = ("housing", "permits", "potholes", "sanitation")


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
    second: frozenset[str] | None = None
    depth: Literal[2, 12, 25] | None = None
    before: Before | None = None


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
