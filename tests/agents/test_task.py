"""What a specialist is given: the ask in plain words, ids apart, and the one place that it is about."""

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.registry import SPECIALISTS
from agents.specialist import Task, plain_ask, same_place
from contracts import RegistryError
from store import MemoryStore

CRITERIA = (("c1", "rats at 12 Elm St"), ("c2", "trash"))


@pytest.mark.parametrize(
    ("ask", "plain"),
    [
        ("c1: rats at 12 Elm St", "rats at 12 Elm St"),
        ("C1: rats", "rats"),
        ("c1 - rats", "rats"),
        ("c1 rats", "rats"),
        ("c1, c2: rats; trash", "rats; trash"),
        ("c1: rats; c2: trash at 3 Oak Ave", "rats; trash at 3 Oak Ave"),
        ("Work on c1 rats; c2: trash", "rats; trash"),
        ("For c1 and c2: rats", "rats"),
        ("Look: c1: rats", "Look: rats"),
        ("rats (c1)", "rats"),
        ("rats [c1, c2] today", "rats today"),
        ("c1", "rats at 12 Elm St; trash"),
        ("c1 & c2.", "rats at 12 Elm St; trash"),
        ("", "rats at 12 Elm St; trash"),
        ("rats at 12 Elm St.", "rats at 12 Elm St."),
        ("no heat in apt c1: look", "no heat in apt c1: look"),
        ("rats in unit C2", "rats in unit C2"),
        ("c5: rats", "c5: rats"),
        ("12 Elm St c1 rats", "12 Elm St c1 rats"),
    ],
)
def test_an_ask_is_told_without_the_ids_that_label_it(ask: str, plain: str) -> None:
    assert plain_ask(ask, CRITERIA) == plain


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"ask": "rats at 31 Lantern St"}, "31 Lantern St"),
        ({"ask": "rats", "criteria": (("c1", "31 Lantern St: rats"),)}, "31 Lantern St"),
        ({"ask": "rats", "goal": "Potholes on Harrow Ave"}, "Harrow Ave"),
        ({"ask": "rats at 31 Lantern St", "answers": (("Which one?", "48 Harrow Ave"), ("How many?", "two"))}, "48 Harrow Ave"),
        ({"ask": "rats at 31 Lantern St and 48 Harrow Ave", "goal": "at 31 Lantern St"}, ""),
        ({"ask": "rats"}, ""),
    ],
)
def test_the_place_of_a_task(given: dict[str, Any], place: str) -> None:
    rest = {"specialist": SPECIALISTS[0], "case": "c", "step": 1, "goal": "", "store": MemoryStore(), "home": Path(), "today": dt.date(2025, 1, 1)}
    assert Task(**(rest | given)).place == place


@pytest.mark.parametrize(
    "other", ["31 Lantern Street", "31 LANTERN ST", "31 lantern st.", " 31  Lantern\tSt ", "31 Lantern St, Apt 2", "31 lantern street, Boston"]
)
def test_one_place_is_written_in_many_ways(other: str) -> None:
    assert same_place("31 Lantern St", other) and same_place(other, "31 Lantern St.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("31 Lantern St", "31 Lantern Ave"),
        ("31 Lantern St", "13 Lantern St"),
        ("31 Lantern St", "Lantern St"),
        ("", ""),
        ("", "-"),
        ("31 Lantern St", ""),
    ],
)
def test_other_places_and_no_place_are_not_the_same(one: str, other: str) -> None:
    assert not same_place(one, other) and not same_place(other, one)


def test_streets_are_places_too() -> None:
    assert same_place("Harrow Ave", "HARROW AVENUE") and not same_place("Harrow Ave", "Harrow St")


@pytest.mark.parametrize("examples", [("rats",) * 11, ("r" * 301,)])
def test_a_specialist_with_too_many_or_too_long_examples_cannot_be_registered(examples: tuple[str, ...]) -> None:
    with pytest.raises(RegistryError, match="at most ten examples of at most 300 characters"):
        replace(SPECIALISTS[0], examples=examples)
