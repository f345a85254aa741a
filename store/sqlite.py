"""Artifacts in one SQLite file: the embedded default, shared by several processes and threads of one host.

WAL lets readers go on while one process writes; `synchronous=FULL` keeps a committed artifact through a power cut.
Bodies lie in chunks, because a seek inside one large SQLite blob reads every page before it.
"""

import asyncio
import sqlite3
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

from typing_extensions import override

from store.backend import Backend, handle_of
from store.errors import ArtifactDamaged, StoreError, StoreUnavailable

T = TypeVar("T")
VERSION = 1
CHUNK = 2**18
_SCHEMA = """
CREATE TABLE handles(case_id TEXT, alias TEXT, digest TEXT NOT NULL, entry TEXT NOT NULL, touched REAL NOT NULL, PRIMARY KEY(case_id, alias));
CREATE TABLE chunks(id INTEGER PRIMARY KEY, case_id TEXT, digest TEXT, n INTEGER, data BLOB NOT NULL, UNIQUE(case_id, digest, n));
"""
_ADVICE = {
    sqlite3.SQLITE_FULL: "free some space",
    sqlite3.SQLITE_IOERR: "check the disk, its space and its quota",
    sqlite3.SQLITE_READONLY: "make the file and its folder writable",
    sqlite3.SQLITE_CANTOPEN: "check that the path is a file and that its folder is writable",
    sqlite3.SQLITE_BUSY: "another process holds it too long",
}


class SqliteStore(Backend):
    """Keep artifacts in the file at `path`; blocking work runs in threads, each with a connection of its own."""

    def __init__(self, path: str | Path, *, timeout: float = 5) -> None:
        self._path = Path(path)
        self._timeout = timeout
        self._idle: list[sqlite3.Connection] = []
        weakref.finalize(self, _close, self._idle)

    def __repr__(self) -> str:
        return f"SqliteStore({str(self._path)!r})"

    @override
    async def _write(self, case: str, alias: str, digest: str, body: bytes, entry: str) -> str:
        def work(db: sqlite3.Connection) -> str:
            row = db.execute("SELECT digest, entry FROM handles WHERE case_id = ? AND alias = ?", (case, alias)).fetchone()
            if row and row[0] != digest:
                return str(row[1])
            db.execute("DELETE FROM chunks WHERE case_id = ? AND digest = ?", (case, digest))
            view = memoryview(body)
            db.executemany(
                "INSERT INTO chunks(case_id, digest, n, data) VALUES(?, ?, ?, ?)",
                ((case, digest, at // CHUNK, view[at : at + CHUNK]) for at in range(0, max(1, len(body)), CHUNK)),
            )
            standing = str(row[1]) if row else entry
            db.execute("INSERT OR REPLACE INTO handles VALUES(?, ?, ?, ?, ?)", (case, alias, digest, standing, time.time()))
            return standing

        return await self._run(work, "IMMEDIATE")

    @override
    async def _fetch(self, case: str, alias: str, start: int, length: int) -> tuple[str, bytes] | None:
        def work(db: sqlite3.Connection) -> tuple[str, bytes] | None:
            row = db.execute("SELECT entry FROM handles WHERE case_id = ? AND alias = ?", (case, alias)).fetchone()
            if row is None:
                return None
            end, parts = start + length, []
            if length:
                chunks = db.execute(
                    "SELECT id, n FROM chunks WHERE case_id = ? AND digest = ? AND n BETWEEN ? AND ? ORDER BY n",
                    (case, handle_of(row[0], case).digest, start // CHUNK, (end - 1) // CHUNK),
                )
                for identity, n in chunks.fetchall():
                    with db.blobopen("chunks", "data", identity, readonly=True) as blob:
                        blob.seek(min(max(0, start - n * CHUNK), len(blob)))
                        parts.append(blob.read(max(0, end - n * CHUNK - blob.tell())))
            return str(row[0]), parts[0] if len(parts) == 1 else b"".join(parts)

        return await self._run(work, "DEFERRED")

    @override
    async def _entries(self, case: str) -> list[str]:
        return await self._run(lambda db: [str(row[0]) for row in db.execute("SELECT entry FROM handles WHERE case_id = ?", (case,))], "DEFERRED")

    @override
    async def _remove(self, case: str, alias: str) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            removed = db.execute("DELETE FROM handles WHERE case_id = ? AND alias = ?", (case, alias)).rowcount
            db.execute("DELETE FROM chunks WHERE case_id = ? AND digest NOT IN (SELECT digest FROM handles WHERE case_id = ?)", (case, case))
            return removed > 0

        return await self._run(work, "IMMEDIATE")

    @override
    async def _remove_case(self, case: str) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM handles WHERE case_id = ?", (case,))
            db.execute("DELETE FROM chunks WHERE case_id = ?", (case,))

        await self._run(work, "IMMEDIATE")

    @override
    async def _touch(self, case: str) -> None:
        await self._run(lambda db: db.execute("UPDATE handles SET touched = ? WHERE case_id = ?", (time.time(), case)), "IMMEDIATE")

    @override
    async def cases(self, idle: float = 0) -> list[str]:
        query = "SELECT case_id FROM handles GROUP BY case_id HAVING max(touched) <= ? ORDER BY case_id"
        return await self._run(lambda db: [str(row[0]) for row in db.execute(query, (time.time() - idle,))], "DEFERRED")

    @override
    async def aclose(self) -> None:
        await asyncio.to_thread(_close, self._idle)

    async def _run(self, work: Callable[[sqlite3.Connection], T], mode: Literal["DEFERRED", "IMMEDIATE"]) -> T:
        return await asyncio.to_thread(self._transact, work, mode)

    def _transact(self, work: Callable[[sqlite3.Connection], T], mode: str) -> T:
        try:
            try:
                db = self._idle.pop()
            except IndexError:
                db = self._connect()
            try:
                db.execute(f"BEGIN {mode}")
                result = work(db)
                db.execute("COMMIT")
            except BaseException:
                db.close()  # rolls back, and no later call inherits a broken connection
                raise
        except sqlite3.Error as error:
            raise self._explained(error) from error
        self._idle.append(db)
        return result

    def _connect(self) -> sqlite3.Connection:
        if not self._path.parent.is_dir():
            raise StoreUnavailable(f"SQLite store {self._path}: the folder {self._path.parent} does not exist, create it first")
        db = sqlite3.connect(self._path, timeout=self._timeout, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA synchronous = FULL")
            self._prepare(db)
        except BaseException:
            db.close()
            raise
        return db

    def _prepare(self, db: sqlite3.Connection) -> None:
        if not self._version(db):
            self._use_wal(db)
            db.execute("BEGIN IMMEDIATE")
            if not self._version(db):  # another process may have been faster
                for statement in _SCHEMA.strip().splitlines():
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {VERSION}")
            db.execute("COMMIT")

    def _version(self, db: sqlite3.Connection) -> int:
        # Tables first: whoever makes them commits the version with them, so tables without one are never ours half made.
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        version = int(db.execute("PRAGMA user_version").fetchone()[0])
        foreign = tables and not version
        if foreign or version not in (0, VERSION):
            what = "it belongs to another program" if foreign else f"its schema version is {version}, this program knows {VERSION}"
            raise StoreUnavailable(f"SQLite store {self._path}: {what}, choose another path")
        return version

    def _use_wal(self, db: sqlite3.Connection) -> None:
        deadline = time.monotonic() + self._timeout
        while True:  # SQLite's busy handler does not cover this switch
            try:
                db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 255 != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def _explained(self, error: sqlite3.Error) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0) & 255
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return ArtifactDamaged(f"SQLite store {self._path} is damaged ({error}): restore it from a backup or move it away")
        return StoreUnavailable(f"SQLite store {self._path}: {error}; {_ADVICE.get(code, 'see the cause')}")


def _close(idle: list[sqlite3.Connection]) -> None:
    while idle:
        idle.pop().close()
