"""Two readings of a set: what is printed to be read, and how far they agree."""

import json
from pathlib import Path

import pytest

from tests.evals.agreement import against, both, figures, main, shuffled
from tests.evals.labels import own

ITEMS = own()


def test_the_texts_to_be_read_say_nothing_of_labels_or_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--texts"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(ITEMS) and [line.split("\t")[0] for line in lines] == [str(number) for number in range(len(lines))]
    assert not any(item.id in line for item, line in zip(shuffled(ITEMS), lines, strict=True))
    assert [item.kind for item in shuffled(ITEMS)] != sorted(item.kind for item in ITEMS) and shuffled(ITEMS) == shuffled(ITEMS)


def test_labels_are_what_both_readings_require_and_extras_what_either_names() -> None:
    pairs = both(ITEMS)
    assert len(pairs) == len(ITEMS)
    for item, first, second in pairs:
        assert item.gold == set(first) & set(second) and set(first) ^ set(second) <= item.acceptable_extra, item.id


def test_a_reading_of_one_s_own_is_compared_line_by_line() -> None:
    known = shuffled(ITEMS)
    same = [f"{number} {','.join(sorted(item.gold)) or '-'}" for number, item in enumerate(known)]
    assert set(figures(list(against(ITEMS, same))).values()) == {1.0}
    other = ["housing" if line.endswith("-") else "-" for line in same]
    worse = figures(list(against(ITEMS, [f"{number} {names}" for number, names in enumerate(other)])))
    assert worse["exact"] == 0 and worse["housing"] < 0
    for wrong in ("0", "999 housing", "x housing", "0 police"):
        with pytest.raises(ValueError, match="not a number and names"):
            list(against(ITEMS, [wrong]))


def test_the_command_shows_where_readings_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = {"id": "a", "kind": "k", "text": "no heat", "gold": [], "first": ["housing"], "second": []}
    (tmp_path / "mine.jsonl").write_text(json.dumps(line), "utf-8")
    assert main([str(tmp_path / "mine.jsonl")]) == 0
    assert "a: ['housing'] or []: no heat" in capsys.readouterr().out
    assert main(["held_out"]) == 1, "read once only"
