"""A ledger file comes back as it was, and a broken one says what is wrong with it."""

import json
from pathlib import Path

import pytest

from contracts import InputError, LedgerError
from graph.files import load, save
from ledger import rebuild
from tests.graph.instrumented import run


async def test_a_saved_case_comes_back_with_every_prompt(tmp_path: Path) -> None:
    file, _ = await run(50)
    assert file.archives, "long enough to have been compacted"
    save(file, tmp_path / "new folder" / "case.json")
    again = load(tmp_path / "new folder" / "case.json")
    assert again == file
    assert all(rebuild(again.ledger, again.artifacts, k, again.archives).same for k in (1, 7, 40, again.ledger["counts"]["decisions"]))
    assert [path.name for path in (tmp_path / "new folder").iterdir()] == ["case.json"]


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "not JSON"),
        (b"{", "line 1"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "no ledger"),
        (b'{"ledger": {}}', "missing"),
        (b'{"ledger": {"version": 99}}', "upgrade"),
        (b'{"ledger": {"version": 1}, "artifacts": [1]}', "'artifacts'"),
        (b'{"ledger": {"version": 1}, "archives": {"L8": {}}}', "L8 lacks"),
    ],
)
def test_a_broken_file_says_what_is_wrong(tmp_path: Path, content: bytes, word: str) -> None:
    path = tmp_path / "case.json"
    path.write_bytes(content)
    with pytest.raises((InputError, LedgerError), match=word):
        load(path)


async def test_an_edited_ledger_is_refused(tmp_path: Path) -> None:
    file, _ = await run(2)
    path = tmp_path / "case.json"
    save(file, path)
    content = json.loads(path.read_text())
    content["ledger"]["goal"] = "something else"
    path.write_text(json.dumps(content))
    with pytest.raises(LedgerError, match="digest"):
        load(path)


async def test_an_edited_handle_is_refused(tmp_path: Path) -> None:
    file, _ = await run(2)
    path = tmp_path / "case.json"
    save(file, path)
    content = json.loads(path.read_text())
    content["artifacts"]["A1"]["description"] = "something else"
    path.write_text(json.dumps(content))
    with pytest.raises(LedgerError, match="do not show A1 as step 1 handed it over"):
        load(path)


async def test_an_edited_record_of_an_archived_stretch_is_refused(tmp_path: Path) -> None:
    file, _ = await run(50)
    path = tmp_path / "case.json"
    for part, change in (("decisions", {"tokens_in": 1}), ("steps", {"headline": "other"}), ("questions", {"id": "q1"})):
        save(file, path)
        content = json.loads(path.read_text())
        stretch = next(iter(content["archives"].values()))
        stretch[part] = [{**item, **change} for item in stretch[part]] or [change]
        path.write_text(json.dumps(content))
        with pytest.raises(LedgerError, match="does not fit its seals"):
            load(path)
