"""The SQLite file under several processes, kills, damage, a full disk and folders that cannot be written."""

import asyncio
import gc
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

import pytest

from store import ArtifactDamaged, SqliteStore, StoreError, StoreUnavailable
from store.conformance import new_case, put

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "desk.sqlite"


def child(code: str, *arguments: object, **options: object) -> "subprocess.Popen[str]":
    """Start a Python process on the same code base."""
    text = "import asyncio, sys\nfrom store import *\nfrom store.conformance import put\n" + textwrap.dedent(code)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", text, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)  # type: ignore[call-overload, no-any-return]


def finished(process: "subprocess.Popen[str]") -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


WRITER = """
async def main():
    store = SqliteStore(sys.argv[1])
    for n in range(int(sys.argv[3])):
        await put(store, "shared", f"{sys.argv[2]} {n}" * 200, f"A{int(sys.argv[2]) * 1000 + n + 1}")
    await store.aclose()
asyncio.run(main())
"""


async def all_present(path: Path, processes: int, puts: int) -> None:
    for writer in [child(WRITER, path, number, puts) for number in range(processes)]:
        await asyncio.to_thread(finished, writer)
    store = SqliteStore(path)
    handles = await store.list("shared")
    assert len(handles) == processes * puts
    for handle in handles:
        await store.stat("shared", handle.alias, verify=True)
    await store.aclose()


async def test_two_processes_write_one_file(path: Path) -> None:
    await all_present(path, 2, 50)


async def test_eight_processes_write_one_file(path: Path) -> None:
    await all_present(path, 8, 200)


def test_many_threads_and_loops_share_one_store(path: Path) -> None:
    store = SqliteStore(path)
    threads = [threading.Thread(target=lambda n=n: asyncio.run(put(store, "case", f"{n % 5}", "A1"))) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [handle.alias for handle in asyncio.run(store.list("case"))] == ["A1", "A1.2", "A1.3", "A1.4", "A1.5"]
    asyncio.run(store.aclose())


def test_a_store_that_is_dropped_closes_its_connections(path: Path) -> None:
    store = SqliteStore(path)
    asyncio.run(put(store, "case", b"x"))
    db = store._idle[0]
    del store
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        db.execute("SELECT 1")


async def test_a_killed_writer_loses_nothing_that_it_reported(path: Path) -> None:
    code = """
    async def main():
        store = SqliteStore(sys.argv[1])
        for n in range(1, 100_000):
            print((await put(store, "case", f"{n}" * 30_000, f"A{n}")).alias, flush=True)
    asyncio.run(main())
    """
    process = await asyncio.to_thread(child, code, path)
    # However slow the machine: killed in the middle of writing, once it has said something.
    first = [await asyncio.to_thread(process.stdout.readline) for _ in range(8)]
    process.send_signal(signal.SIGKILL)
    reported = [*(line.strip() for line in first), *process.communicate()[0].split()]
    store = SqliteStore(path)
    listed = await store.list("case")
    assert len(reported) > 5 and set(reported) <= {handle.alias for handle in listed}
    for handle in listed:
        await store.stat("case", handle.alias, verify=True)
    await put(store, "case", b"goes on", "R1")
    await store.aclose()


async def test_the_event_loop_is_never_blocked(path: Path) -> None:
    store, gaps = SqliteStore(path), []
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")

    async def watch() -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.005)
            gaps.append(time.monotonic() - before)

    watcher, writer = asyncio.create_task(watch()), asyncio.create_task(put(store, "case", b"x" * 3_000_000))
    await asyncio.sleep(0.6)
    assert not writer.done()
    blocker.execute("ROLLBACK")
    blocker.close()
    await writer
    watcher.cancel()
    assert max(gaps) < 0.4
    await store.aclose()


async def test_a_file_held_too_long_is_a_clear_error_in_time(path: Path) -> None:
    store = SqliteStore(path, timeout=0.2)
    await put(store, "case", b"x")
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    start = time.monotonic()
    with pytest.raises(StoreUnavailable, match="locked; another process holds it too long"):
        await put(store, "case", b"y")
    assert time.monotonic() - start < 2
    assert await store.read("case", "A1") == b"x"
    blocker.close()
    assert (await put(store, "case", b"y")).alias == "A1.2"
    await store.aclose()


async def test_the_file_is_in_wal_mode_with_a_schema_version(path: Path) -> None:
    store = SqliteStore(path)
    await put(store, "case", b"x")
    await store.aclose()
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA user_version").fetchone() == (1,)
    db.execute("PRAGMA user_version = 7")
    db.close()
    with pytest.raises(StoreUnavailable, match="schema version is 7, this program knows 1"):
        await store.read("case", "A1")


async def test_another_programs_file_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE theirs(x)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreUnavailable, match="belongs to another program"):
        await put(SqliteStore(path), "case", b"x")
    assert path.read_bytes() == before


async def test_a_missing_parent_and_a_folder_as_file_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match=f"the folder {tmp_path / 'no'} does not exist, create it first"):
        await put(SqliteStore(tmp_path / "no" / "desk.sqlite"), "case", b"x")
    with pytest.raises(StoreUnavailable, match="check that the path is a file"):
        await put(SqliteStore(tmp_path), "case", b"x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("existing", [False, True])
async def test_a_read_only_folder_is_a_clear_error(existing: bool) -> None:
    code = """
    import os
    async def main():
        await asyncio.to_thread(int)
        if os.geteuid() == 0:  # root would write anyway; whatever is imported later is out of reach now
            os.setuid(65534)
        try:
            await put(SqliteStore(sys.argv[1]), "case", "other")
        except StoreUnavailable as error:
            print(error)
    asyncio.run(main())
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "desk.sqlite"
        if existing:
            await put(store := SqliteStore(path), "case", b"x")
            await store.aclose()
            path.chmod(0o444)
        path.parent.chmod(0o555)
        told = await asyncio.to_thread(lambda: finished(child(code, path)))
        path.parent.chmod(0o755)
    assert str(path) in told and "writable" in told


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that even root cannot write")
async def test_a_folder_that_even_root_cannot_write_is_a_clear_error() -> None:
    with pytest.raises(StoreUnavailable, match=r"/proc/self/desk.sqlite: .*folder is writable"):
        await put(SqliteStore("/proc/self/desk.sqlite"), "case", b"x")


async def test_a_full_disk_fails_the_write_and_keeps_the_rest(path: Path) -> None:
    code = """
    import json, resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
    async def main():
        store, kept = SqliteStore(sys.argv[1]), []
        try:
            for n in range(1, 50):
                kept.append((await put(store, "case", bytes([n]) * 200_000, f"A{n}")).alias)
        except StoreUnavailable as error:
            print(json.dumps([kept, str(error)]))
    asyncio.run(main())
    """
    kept, error = json.loads(await asyncio.to_thread(lambda: finished(child(code, path))))
    assert 1 <= len(kept) < 20 and str(path) in error
    store = SqliteStore(path)
    assert [handle.alias for handle in await store.list("case")] == kept
    for alias in kept:
        await store.stat("case", alias, verify=True)
    await store.aclose()


async def test_a_disk_without_space_says_so_and_serves_again_after_deleting(tiny_disk: Path) -> None:
    store = SqliteStore(tiny_disk / "desk.sqlite")
    with pytest.raises(StoreUnavailable, match="disk is full; free some space"):
        for n in range(1, 50):
            await put(store, "case", bytes([n]) * 150_000, f"A{n}")
    for handle in await store.list("case"):
        await store.stat("case", handle.alias, verify=True)
    await store.aclose()


async def damaged(path: Path, size: int = 100_000) -> SqliteStore:
    """Return a store whose file is closed, with one artifact of recognisable content."""
    store = SqliteStore(path)
    await put(store, "case", b"needle " * (size // 7))
    await put(store, "case", b"whole", "A2")
    await store.aclose()
    return store


async def test_a_flipped_bit_in_a_body_is_found(path: Path) -> None:
    store = await damaged(path)
    content = bytearray(path.read_bytes())
    content[content.rindex(b"needle") + 2] ^= 4
    path.write_bytes(content)
    for read in (store.read("case", "A1", 0, 100_000), store.stat("case", "A1", verify=True)):
        with pytest.raises(ArtifactDamaged, match="artifact A1 of case case: its body is not what was stored"):
            await read
    assert await store.read("case", "A2") == b"whole"
    handle = await put(store, "case", b"needle " * (100_000 // 7))
    assert await store.stat("case", handle.alias, verify=True) == handle
    await store.aclose()


async def test_a_lost_chunk_is_found_by_every_range_that_needs_it(path: Path) -> None:
    store = await damaged(path, 1_000_000)
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM chunks WHERE n = 2")
    db.close()
    assert len(await store.read("case", "A1", 0, 1000)) == 1000
    for read in (store.read("case", "A1", 600_000, 1000), store.read("case", "A1", 500_000, 400_000), store.stat("case", "A1", verify=True)):
        with pytest.raises(ArtifactDamaged, match="gone or shorter"):
            await read
    await store.aclose()


@pytest.mark.parametrize("keep", [0.5, 0.05, 10])
async def test_a_truncated_file_is_never_read_as_sound(path: Path, keep: float) -> None:
    store = await damaged(path, 400_000)
    size = int(path.stat().st_size * keep) if keep < 1 else int(keep)
    os.truncate(path, size)
    with pytest.raises(StoreError, match="damaged|gone|digests"):
        await store.stat("case", "A1", verify=True)
    await store.aclose()


async def test_a_file_that_is_no_database_is_left_alone(path: Path) -> None:
    path.write_bytes(b"a resident's letter\n" * 100)
    with pytest.raises(ArtifactDamaged, match=f"{path} is damaged"):
        await put(SqliteStore(path), "case", b"x")
    assert path.read_bytes().startswith(b"a resident")


async def test_deleting_a_case_frees_its_space(path: Path) -> None:
    store = SqliteStore(path)
    for round_ in range(4):
        await put(store, case := new_case(), bytes([round_]) * 1_000_000)
        await store.delete_case(case)
    await store.aclose()
    assert path.stat().st_size < 1_500_000
    db = sqlite3.connect(path)
    assert db.execute("SELECT count(*) FROM chunks").fetchone() == (0,)
    db.close()


def test_opening_is_fast(path: Path) -> None:
    async def once() -> float:
        start = time.perf_counter()
        store = SqliteStore(path)
        await put(store, new_case(), b"x")
        await store.aclose()
        return time.perf_counter() - start

    asyncio.run(once())
    assert min(asyncio.run(once()) for _ in range(5)) < 0.05
