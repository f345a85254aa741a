"""The project's own set is what its README says: schema, balance, agreement."""

import re
from collections import Counter
from pathlib import Path

import pytest

from agents.offline.urgency import urgent
from tests.evals.agreement import both, figures
from tests.evals.labels import NAMES, SETS, own, read

ITEMS = own()
README = " ".join((Path(__file__).parent / "README.md").read_text(encoding="utf-8").split())


def test_size_kinds_and_balance():
    kinds = Counter(item.kind for item in ITEMS)
    assert len(ITEMS) >= 120 and len({item.id for item in ITEMS}) == len(ITEMS) == len({item.text for item in ITEMS})
    assert set(kinds) == {"single", "multi", "out_of_scope", "ambiguous", "adversarial", "emergency", "follow_up"} and min(kinds.values()) >= 10
    singles = Counter(name for item in ITEMS if item.kind == "single" for name in item.gold)
    assert singles == dict.fromkeys(NAMES, 12)
    for kind in kinds:
        depths = Counter(item.depth for item in ITEMS if item.kind == kind)
        assert max(depths.values()) - min(depths[depth] for depth in (2, 12, 25)) <= 1


def test_labels_are_consistent():
    for item in ITEMS:
        assert item.gold | item.acceptable_extra <= set(NAMES), item.id
        assert not item.gold & item.acceptable_extra, item.id
        assert {name for pair in item.order for name in pair} <= item.gold, item.id
        assert (item.kind == "follow_up") == (item.before is not None), item.id
        assert item.kind != "out_of_scope" or not item.gold
        assert item.kind != "multi" or len(item.gold) > 1


def test_readme_figures_are_the_set_s():
    found = figures(both(ITEMS))
    assert f"exact-set agreement {found['exact']:.3f}, Jaccard {found['jaccard']:.3f}" in README
    assert ", ".join(f"{name} {found[name]:.2f}" for name in ("potholes", "permits", "sanitation", "housing")) in README
    count = Counter(name for item in ITEMS for name in item.gold)
    assert f"potholes {count['potholes']}, permits {count['permits']}, sanitation {count['sanitation']}, housing {count['housing']}" in README
    assert f"{sum(not item.gold for item in ITEMS)} name nobody" in README
    for kind, shown in (("single", "single"), ("multi", "multi-department"), ("out_of_scope", "out of scope"), ("follow_up", "follow-ups")):
        assert f"{sum(item.kind == kind for item in ITEMS)} {shown}" in README
    for item in ITEMS:
        assert item.first == item.second or f"`{item.id}`" in README, "each disagreement is named"


def test_the_held_out_set_has_four_kinds_and_labels_that_fit():
    items = list(read(SETS / "held_out.jsonl"))
    assert Counter(item.kind for item in items) == dict.fromkeys(("follow_up", "adversarial", "ambiguous", "several"), 12)
    assert not {item.text for item in items} & {item.text for item in ITEMS} and len({item.id for item in items}) == len(items)
    for item in items:
        assert item.gold | item.acceptable_extra <= set(NAMES) and not item.gold & item.acceptable_extra, item.id
        assert (item.kind == "follow_up") == (item.before is not None), item.id


def test_emergencies_are_caught_and_nothing_else_is():
    assert [item.id for item in ITEMS if bool(urgent(item.text)) != item.emergency] == []


def test_a_wrong_line_names_its_place(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "a", "kind": "x", "text": "t", "gold": []}\n\n{"id": "b", "kind": "x", "text": "t"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape("mine.jsonl, line 2")):
        list(read(path))
