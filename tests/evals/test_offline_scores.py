"""The offline router's first choices on labelled texts hold their bars."""

import csv
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from agents.offline.matching import match
from agents.offline.proposing import propose
from agents.registry import SPECIALISTS as REGISTERED
from tests.evals.labels import Item, complaints, own, scenarios
from tests.evals.scoring import Scored, summary

DATA = Path(os.environ.get("DESK_DATA", ""))
needs_data = pytest.mark.skipif(not os.environ.get("DESK_DATA"), reason="DESK_DATA names no folder with labelled city texts")

# The labels know the four that ship, whatever else is registered.
SPECIALISTS = tuple(item for item in REGISTERED if item.name in ("potholes", "permits", "sanitation", "housing"))


def scored(items: Sequence[Item]) -> dict[str, float]:
    told = []
    for item in items:
        before = (item.before.specialist,) if item.before else ()
        consulted = frozenset(name for proposal in propose(item.text, SPECIALISTS, before=before) for name in proposal.owners)
        told.append(Scored(consulted, item.gold, item.acceptable_extra))
    return summary(told)


@needs_data
def test_real_complaints():
    found = scored(complaints(DATA))
    assert found["jaccard"] >= 0.70, found
    assert found["recall"] >= 0.85, found
    assert found["refused"] == 1.0, found


@needs_data
def test_scenarios():
    found = scored(scenarios(DATA))
    assert found["contains"] * 27 >= 24, found
    assert found["jaccard"] >= 0.80, found
    assert scored(scenarios(DATA, "text"))["jaccard"] >= 0.75


@needs_data
def test_names_of_request_types():
    right = refused = owned = strange = 0
    with (DATA / "boston" / "service_types.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found = {item.name for item in match(row["type"], SPECIALISTS)}
            if row["specialist"]:
                owned, right = owned + 1, right + (row["specialist"] in found)
            else:
                strange, refused = strange + 1, refused + (not found)
    assert right / owned >= 0.95
    assert refused / strange >= 0.90


def test_own_set():
    found = scored(own())
    assert found["jaccard"] >= 0.80, found
    assert found["refused"] >= 0.90, found
