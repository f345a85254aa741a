"""The database as a file: the sample, the import, and what happens when either is spoilt."""

import csv
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from agents.city.records import Records, RecordsError, ensure_records, import_records, make_sample, open_records
from contracts import DeskError


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8", newline="") as stream:
        stream.write(line)


def test_the_sample_is_large_enough_and_mixed(city: Records) -> None:
    counts = {row["name"]: row["rows"] for row in city.rows("SELECT name, rows FROM sources")}
    assert counts["buildings"] >= 60 and counts["cases"] >= 1_500 and counts["violations"] >= 300 and counts["permits"] >= 150
    mixed = city.rows("SELECT count(*) AS n FROM buildings WHERE land_use = 'RC'")[0]["n"]
    assert mixed / counts["buildings"] > 0.25
    bare = city.rows("SELECT DISTINCT street FROM places WHERE street NOT IN (SELECT street FROM sweeping)")
    assert not bare
    assert not city.rows("SELECT case_no FROM violations GROUP BY case_no HAVING count(DISTINCT sam_id) > 1")
    assert city.rows("SELECT 1 FROM cases WHERE closure_reason LIKE '%uplicate%' LIMIT 1")


def test_the_sample_is_the_same_every_time_and_quick(city: Records, tmp_path: Path) -> None:
    began = time.thread_time()
    make_sample(tmp_path / "again.db")
    assert time.thread_time() - began < 1.5
    assert dump(tmp_path / "again.db") == dump(city.path)


def test_two_makers_at_once_do_no_harm(city: Records, tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    makers = [threading.Thread(target=ensure_records, args=(path,)) for _ in range(4)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert dump(path) == dump(city.path)
    assert [file.name for file in tmp_path.iterdir()] == ["records.db"]


def test_an_existing_database_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    ensure_records(path)
    before = path.stat().st_ino
    ensure_records(path)
    assert path.stat().st_ino == before


def test_a_query_cannot_write(city: Records) -> None:
    with pytest.raises(RecordsError, match="readonly"):
        city.rows("DELETE FROM cases")


@pytest.mark.parametrize("body", [b"", b"no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 4_000])
def test_a_damaged_database_is_a_clear_error(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "records.db"
    path.write_bytes(body)
    with pytest.raises(RecordsError, match=r"records\.db.*again with `python -m graph records sample`") as caught:
        open_records(path)
    assert isinstance(caught.value, DeskError) and isinstance(caught.value, RuntimeError)


def test_a_cut_database_is_a_clear_error_at_the_latest_when_queried(city: Records, tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    path.write_bytes(city.path.read_bytes()[: city.path.stat().st_size // 2])
    with pytest.raises(RecordsError):
        open_records(path).rows("SELECT max(closure_reason) FROM cases")


def test_a_missing_database_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match="records sample"):
        open_records(tmp_path / "none.db")


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RecordsError, match="cannot be written"):
        make_sample(tmp_path / "file" / "records.db")


def test_an_import_loads_every_row_and_twice_changes_nothing(city: Records, files: Path, tmp_path: Path) -> None:
    path, seen = tmp_path / "records.db", []
    report = import_records(files, path, lambda file, done, total: seen.append((file, done, total)))
    assert (report.causes, report.rejects) == ({}, None)
    assert report.counts == {row["name"]: row["rows"] for row in city.rows("SELECT name, rows FROM sources")}
    assert {file for file, done, total in seen if done == total} == {file.name for file in files.iterdir()}
    first = dump(path)
    import_records(files, path)
    assert dump(path) == first


def test_bad_rows_are_counted_by_cause_and_listed(files: Path, tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    clean = import_records(files, path).counts
    with (files / "service_requests_2015.csv").open(encoding="utf-8") as stream:
        header = stream.readline().strip().split(",")
        last = stream.readline().strip().split(",")
    good = dict(zip(header, last, strict=True))

    def row(**changes: str) -> str:
        return ",".join((good | {"case_id": "901099999999"} | changes)[name] for name in header) + "\n"

    bad = [
        "1,2,3\n",
        row(case_id=""),
        row(case_id=good["case_id"]),
        row(opened_at="yesterday"),
        row(opened_at=""),
        row(status="maybe"),
        row(lat="north"),
        row(lat="nan"),
        row(lon="999"),
        row(closure_reason='"' + "x" * 200_000 + '"'),
        "\n",
    ]
    append(files / "service_requests_2015.csv", "".join(bad))
    with (files / "building_violations.csv").open("ab") as stream:
        stream.write(b"\xff\xfe" + b"," * 11 + b"\n")
    report = import_records(files, path)
    assert report.counts == clean
    assert report.causes["service_requests_2015.csv"] == {
        "wrong number of columns": 1,
        "no usable case_id": 1,
        "repeated id or row": 1,
        "bad date in opened_at": 1,
        "no opened_at": 1,
        "unknown status": 1,
        "bad number in lat": 2,
        "bad coordinates": 1,
        "unreadable line": 1,
    }
    assert sum(report.causes["building_violations.csv"].values()) == 1
    assert report.rejects is not None
    with report.rejects.open(encoding="utf-8", newline="") as stream:
        listed = list(csv.DictReader(stream))
    assert len(listed) == 11
    assert not any(item["row"].startswith(("=", "+", "-", "@")) for item in listed)


def test_an_open_quote_rejects_what_it_swallows_and_says_which_lines(files: Path, tmp_path: Path) -> None:
    append(files / "buildings.csv", '"900001,1 Lost St\nA,B\nC,D\n')
    report = import_records(files, tmp_path / "records.db")
    assert report.rejects is not None
    with report.rejects.open(encoding="utf-8", newline="") as stream:
        listed = list(csv.DictReader(stream))
    assert len(listed) == 1 and "-" in listed[0]["lines"]


def test_missing_files_and_columns_are_named_and_the_old_database_stays(files: Path, tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    make_sample(path)
    before = path.read_bytes()
    (files / "buildings.csv").unlink()
    (files / "service_types.csv").unlink()
    with pytest.raises(RecordsError, match=r"buildings\.csv, service_types\.csv"):
        import_records(files, path)
    with pytest.raises(RecordsError, match="not a folder"):
        import_records(tmp_path / "absent", path)
    (files / "buildings.csv").write_text("sam_id,address\n")
    (files / "service_types.csv").write_text("")
    with pytest.raises(RecordsError, match=r"buildings\.csv lacks the columns .*land_use"):
        import_records(files, path)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob(".*.tmp"))
