"""A specialist that could not be carried is refused when the registry is built."""

import datetime as dt
import enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, StringConstraints

from contracts import Facts, RegistryError, Return, registry_of
from contracts.registry import RESERVED, Contract
from tests.ledger.play import Report


def contract(**changed: Any) -> Contract:
    return Contract(**({"name": "noise", "description": "noise at night", "returns": Report} | changed))


def with_fact(kind: Any) -> type[Return]:
    facts = type("OneFact", (Facts,), {"__annotations__": {"fact": kind}})
    return type("OneReturn", (Return,), {"__annotations__": {"facts": facts}})


@pytest.mark.parametrize("name", ["", "Noise", "no ise", "nöise", "noise.", "9noise", "_noise", "n" * 65, "noise\n", "nоise", 5, *sorted(RESERVED)])
def test_unusable_names(name: Any) -> None:
    with pytest.raises(RegistryError, match="name"):
        registry_of([contract(name=name)])


@pytest.mark.parametrize("name", ["self_", "end-"])
def test_a_spelling_of_a_reserved_name(name: str) -> None:
    with pytest.raises(RegistryError, match="reserved"):
        registry_of([contract(name=name)])


@pytest.mark.parametrize("description", ["", " ", "two\nlines", "hidden\u200bmark", "\x1b[31mred", "word " * 60, "e" * 241])
def test_unusable_descriptions(description: str) -> None:
    with pytest.raises(RegistryError, match="description"):
        registry_of([contract(description=description)])


def test_names_are_taken_once_and_edges_lead_to_somebody() -> None:
    with pytest.raises(RegistryError, match="twice"):
        registry_of([contract(), contract()])
    with pytest.raises(RegistryError, match="separators"):
        registry_of([contract(name="lead-pipes"), contract(name="lead_pipes")])
    with pytest.raises(RegistryError, match="no specialist"):
        registry_of([])
    with pytest.raises(RegistryError, match="may follow 'parks'"):
        registry_of([contract(after=("start", "parks"))])
    assert registry_of([contract(after=("start", "noise"))])["noise"].after == ("start", "noise")


@pytest.mark.parametrize("returns", [dict, int, "Report", Facts])
def test_returns_must_be_a_contract(returns: Any) -> None:
    with pytest.raises(RegistryError, match="returns"):
        registry_of([contract(returns=returns)])


class Long(enum.Enum):
    """An enum that is prose."""

    ONE = "x" * 65


class Good(enum.StrEnum):
    """An enum as it should be."""

    ONE = "one"


Id = Annotated[str, StringConstraints(pattern=r"^[A-Z]+$", max_length=20)]
Name = Annotated[str, Field(pattern=r"^T-[0-9]+$", max_length=12)]


@pytest.mark.parametrize(
    "kind",
    [
        str,
        list[str],
        dict[str, int],
        Any,
        object,
        bytes,
        tuple[int, ...],
        Annotated[str, Field(max_length=20)],
        Annotated[str, Field(pattern="a")],
        Long,
        Literal["x" * 65],
        int | str,
        Annotated[str, Field(max_length=20)] | None,
        Annotated[tuple[Annotated[str, Field(max_length=20)], ...], Field(max_length=4)],
    ],
)
def test_facts_hold_no_free_text(kind: Any) -> None:
    with pytest.raises(RegistryError, match="fact"):
        registry_of([contract(returns=with_fact(kind))])


@pytest.mark.parametrize(
    "kind",
    [
        int,
        float,
        bool,
        dt.date,
        dt.datetime,
        Good,
        Id,
        Id | None,
        Name,
        Name | None,
        Literal["a", "b"],
        Annotated[tuple[Id, ...], Field(max_length=4)],
        Annotated[tuple[Name, ...], Field(max_length=4)],
    ],
)
def test_facts_are_enums_numbers_dates_and_ids(kind: Any) -> None:
    assert registry_of([contract(returns=with_fact(kind))])
