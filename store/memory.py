"""Artifacts in this process's memory: for tests, and for runs that nobody needs to find again."""

import time
from dataclasses import dataclass, field

from typing_extensions import override

from store.backend import Backend, handle_of


@dataclass
class _Case:
    entries: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    touched: float = field(default_factory=time.monotonic)


class MemoryStore(Backend):
    """Keep everything in dictionaries; gone with the process."""

    def __init__(self) -> None:
        self._cases: dict[str, _Case] = {}

    @override
    async def _write(self, case: str, alias: str, digest: str, body: bytes, entry: str) -> str:
        held = self._cases.setdefault(case, _Case())
        held.touched = time.monotonic()
        standing = held.entries.get(alias, entry)
        if handle_of(standing, case).digest == digest:
            held.bodies[digest] = body
            held.entries.setdefault(alias, entry)
        return standing

    @override
    async def _fetch(self, case: str, alias: str, start: int, length: int) -> tuple[str, bytes] | None:
        held = self._cases.get(case, _Case())
        if (entry := held.entries.get(alias)) is None:
            return None
        return entry, held.bodies.get(handle_of(entry, case).digest, b"")[start : start + length]

    @override
    async def _entries(self, case: str) -> list[str]:
        return list(self._cases.get(case, _Case()).entries.values())

    @override
    async def _remove(self, case: str, alias: str) -> bool:
        held = self._cases.get(case, _Case())
        if held.entries.pop(alias, None) is None:
            return False
        used = {handle_of(entry, case).digest for entry in held.entries.values()}
        held.bodies = {digest: body for digest, body in held.bodies.items() if digest in used}
        if not held.entries:
            del self._cases[case]
        return True

    @override
    async def _remove_case(self, case: str) -> None:
        self._cases.pop(case, None)

    @override
    async def _touch(self, case: str) -> None:
        if case in self._cases:
            self._cases[case].touched = time.monotonic()

    @override
    async def cases(self, idle: float = 0) -> list[str]:
        return sorted(case for case, held in self._cases.items() if time.monotonic() - held.touched >= idle)

    @override
    async def aclose(self) -> None:
        pass
