"""What all backends share: names are checked before storage is asked, bodies hashed, reads bounded and verified."""

import asyncio
import hashlib
import re
from abc import abstractmethod

from pydantic import ValidationError
from typing_extensions import override

from contracts import Handle, estimate
from contracts.handles import ALIAS, CASE
from store.errors import ArtifactDamaged, ArtifactNotFound, StoreError
from store.protocol import BODY, RANGE, ArtifactStore, Handles, Names
from store.text import is_text

_STEM = re.compile(r"[AGLRE][1-9][0-9]{0,5}")
_ALIAS = re.compile(ALIAS)
_CASE = re.compile(CASE)
_MOST = 999  # the alias pattern ends at A3.999
_INLINE = 2**18  # hashing this much takes less time than a hop to a thread
_SAMPLE = 48


class Backend(ArtifactStore):
    """Base of a store: a backend supplies the eight methods at the end, with names that are already checked."""

    @override
    async def put(
        self, case: str, body: bytes | str, *, stem: str, media_type: str = "text/plain", kind: str, description: str, producer: str
    ) -> Handle:
        _check(_CASE, case)
        _check(_STEM, stem)
        data = body.encode("utf-8", "replace") if isinstance(body, str) else bytes(body)
        if len(data) > BODY:
            raise StoreError(f"artifact refused: {len(data)} bytes, the cap is {BODY}")
        digest = await _digest(data)
        try:
            handle = Handle(
                alias=stem,
                case=case,
                digest=digest,
                bytes=len(data),
                tokens=_tokens(data) if is_text(media_type) else 0,
                media_type=media_type,
                kind=kind,
                description=description,
                producer=producer,
            )
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            raise StoreError(f"artifact refused: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        for _ in range(_MOST):
            entry = handle.model_dump_json()
            found = await self._write(case, handle.alias, digest, data, entry)
            standing = handle if found == entry else handle_of(found, case, handle.alias)
            if standing.digest == digest:
                return standing
            handle = handle.model_copy(update={"alias": await self._free(case, stem, digest)})
        raise StoreError(f"artifact refused: other writers keep taking the aliases of {stem}")

    async def _free(self, case: str, stem: str, digest: str) -> str:
        near = [entry for entry in await self._entries(case) if f'"{stem}' in entry]
        taken = {handle.alias: handle.digest for handle in (handle_of(entry, case) for entry in near)}
        for alias in (stem, *(f"{stem}.{n}" for n in range(2, _MOST + 1))):
            if taken.get(alias, digest) == digest:
                return alias
        raise StoreError(f"artifact refused: {stem} already has {_MOST} artifacts")

    @override
    async def read(self, case: str, alias: str, start: int = 0, length: int = 65536) -> bytes:
        return (await self._read(case, alias, max(0, min(start, BODY)), max(0, min(length, RANGE))))[1]

    async def _read(self, case: str, alias: str, start: int, length: int) -> tuple[Handle, bytes]:
        _check(_CASE, case)
        _check(_ALIAS, alias)
        found = await self._fetch(case, alias, start, length)
        if found is None:
            raise ArtifactNotFound
        handle, data = handle_of(found[0], case, alias), found[1]
        wanted = max(0, min(length, handle.bytes - start))
        if len(data) != wanted:
            raise ArtifactDamaged(f"artifact {alias} of case {case}: its body is gone or shorter, {len(data)} bytes are left of {wanted} at {start}")
        if wanted == handle.bytes and length and await _digest(data) != handle.digest:
            raise ArtifactDamaged(f"artifact {alias} of case {case}: its body is not what was stored, the digests differ")
        return handle, data

    @override
    async def stat(self, case: str, alias: str, *, verify: bool = False) -> Handle:
        handle, data = await self._read(case, alias, 0, RANGE if verify else 0)
        if handle.bytes > len(data) and verify:
            digest = hashlib.sha256(data)
            for start in range(len(data), handle.bytes, RANGE):
                await asyncio.to_thread(digest.update, await self.read(case, alias, start, RANGE))
            if digest.hexdigest() != handle.digest:
                raise ArtifactDamaged(f"artifact {alias} of case {case}: its body is not what was stored, the digests differ")
        return handle

    @override
    async def list(self, case: str) -> Handles:
        _check(_CASE, case)
        handles = [handle_of(entry, case) for entry in await self._entries(case)]
        return sorted(handles, key=lambda handle: (handle.alias[0], *map(int, handle.alias[1:].split("."))))

    @override
    async def delete(self, case: str, alias: str) -> None:
        _check(_CASE, case)
        _check(_ALIAS, alias)
        if not await self._remove(case, alias):
            raise ArtifactNotFound

    @override
    async def delete_case(self, case: str) -> None:
        _check(_CASE, case)
        await self._remove_case(case)

    @override
    async def touch(self, case: str) -> None:
        _check(_CASE, case)
        await self._touch(case)

    @abstractmethod
    async def _write(self, case: str, alias: str, digest: str, body: bytes, entry: str) -> str:
        """Store the body, then claim the alias if it is free, as one step; return the entry that now stands under it.

        Writing the same again is harmless, and repairs a lost body.
        """

    @abstractmethod
    async def _fetch(self, case: str, alias: str, start: int, length: int) -> tuple[str, bytes] | None:
        """Return the entry and what exists of a range of its body; None when there is no such alias."""

    @abstractmethod
    async def _entries(self, case: str) -> Names: ...

    @abstractmethod
    async def _remove(self, case: str, alias: str) -> bool: ...

    @abstractmethod
    async def _remove_case(self, case: str) -> None: ...

    @abstractmethod
    async def _touch(self, case: str) -> None: ...

    @override
    @abstractmethod
    async def cases(self, idle: float = 0) -> Names: ...

    @override
    @abstractmethod
    async def aclose(self) -> None: ...


def handle_of(entry: str, case: str, alias: str | None = None) -> Handle:
    """Read a stored entry; one that was altered counts as damage."""
    try:
        handle = Handle.model_validate_json(entry)
    except ValidationError:
        handle = None
    if handle is None or handle.case != case or alias not in (None, handle.alias):
        raise ArtifactDamaged(f"artifact {alias or 'entry'} of case {case}: its entry in the store is damaged")
    return handle


def _check(pattern: re.Pattern[str], name: str) -> None:
    if not (isinstance(name, str) and pattern.fullmatch(name)):
        raise ArtifactNotFound


async def _digest(data: bytes) -> str:
    if len(data) <= _INLINE:
        return hashlib.sha256(data).hexdigest()
    return (await asyncio.to_thread(hashlib.sha256, data)).hexdigest()


def _tokens(data: bytes) -> int:
    """Estimate the tokens of a body from four samples, so that the cost does not grow with its size."""
    sample = data
    if len(data) > 4 * _SAMPLE:
        sample = b"".join(data[at : at + _SAMPLE] for at in range(0, len(data) - _SAMPLE, len(data) // 4))
    text = sample.decode("utf-8", "replace")
    if 4 * text.count("\ufffd") > len(text):  # not UTF-8
        return len(data)
    return -(-estimate(text) * len(data) // max(1, len(sample)))
