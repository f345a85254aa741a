"""What a user's own backend looks like: eight methods over two dictionaries."""

import json
import time

from typing_extensions import override

from store import Backend


class DictionaryStore(Backend):
    """Keep entries by case and alias, bodies by case and digest; count the calls that reach storage."""

    def __init__(self) -> None:
        self.calls = 0
        self.entries_at: dict[tuple[str, str], str] = {}
        self.bodies: dict[tuple[str, str], bytes] = {}
        self.touched: dict[str, float] = {}

    @override
    async def _write(self, case: str, alias: str, digest: str, body: bytes, entry: str) -> str:
        self.calls += 1
        self.bodies[case, digest] = body
        self.touched[case] = time.monotonic()
        return self.entries_at.setdefault((case, alias), entry)

    @override
    async def _fetch(self, case: str, alias: str, start: int, length: int) -> tuple[str, bytes] | None:
        self.calls += 1
        entry = self.entries_at.get((case, alias))
        return entry and (entry, self.bodies.get((case, json.loads(entry)["digest"]), b"")[start : start + length]) or None

    @override
    async def _entries(self, case: str) -> list[str]:
        self.calls += 1
        return [entry for (owner, _), entry in self.entries_at.items() if owner == case]

    @override
    async def _remove(self, case: str, alias: str) -> bool:
        self.calls += 1
        removed = self.entries_at.pop((case, alias), None)
        used = {json.loads(entry)["digest"] for entry in await self._entries(case)}
        self.bodies = {key: body for key, body in self.bodies.items() if key[0] != case or key[1] in used}
        return removed is not None

    @override
    async def _remove_case(self, case: str) -> None:
        self.calls += 1
        for held in (self.entries_at, self.bodies):
            for key in [key for key in held if key[0] == case]:
                del held[key]
        self.touched.pop(case, None)

    @override
    async def _touch(self, case: str) -> None:
        self.calls += 1
        if case in self.touched:
            self.touched[case] = time.monotonic()

    @override
    async def cases(self, idle: float = 0) -> list[str]:
        return [case for case, at in self.touched.items() if time.monotonic() - at >= idle]

    @override
    async def aclose(self) -> None:
        self.entries_at.clear()
