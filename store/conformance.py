"""What every backend must do, as plain async functions: `CHECKS` proves a store in a test file of a few lines.

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    async def test_my_store(check):
        await check(MyStore())

Each check works in cases of its own, so that one store may serve them all.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from contracts import Handle
from store.errors import NOT_FOUND, ArtifactNotFound, StoreError
from store.protocol import RANGE, ArtifactStore

Check = Callable[[ArtifactStore], Awaitable[None]]
MALFORMED = ("", "a3", "A0", "A03", "A3.0", "A3\n", "A3*", "*", "[A]3", "../../etc/passwd", "a/../../b", "A%33", "A3\0", "Ａ3", "x" * 5000)
ENVELOPE = b'{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"content":"x"}}'


def new_case() -> str:
    """Return a case id that no other check uses."""
    return secrets.token_hex(8)


async def put(store: ArtifactStore, case: str, body: bytes | str, stem: str = "A1", **changes: Any) -> Handle:
    """Put with plain metadata, for tests."""
    fields = {"kind": "note", "description": "A note", "producer": "permits"} | changes
    return await store.put(case, body, stem=stem, **fields)


async def refused(work: Awaitable[object]) -> None:
    """Assert that `work` ends as not found, in the words that every unknown name gets."""
    try:
        await work
    except ArtifactNotFound as error:
        assert str(error) == NOT_FOUND, error
    else:
        raise AssertionError("expected ArtifactNotFound")


async def bytes_come_back_exactly(store: ArtifactStore) -> None:
    """Text, binary, empty, NUL, UTF-16 and serialised-looking bodies are data."""
    case = new_case()
    bodies = [b"", b"\0fixed\x00", bytes(range(256)) * 3, "größe 文字\r\n".encode(), "utf16".encode("utf-16"), ENVELOPE, b"\x80\x04\x95."]
    for number, body in enumerate(bodies, 1):
        handle = await put(store, case, body, f"A{number}")
        assert (handle.bytes, handle.digest) == (len(body), hashlib.sha256(body).hexdigest())
        assert same(await store.read(case, handle.alias), body), len(body)
        assert await store.stat(case, handle.alias, verify=True) == handle


async def text_is_kept_as_utf8(store: ArtifactStore) -> None:
    """A string is encoded; a lone surrogate does not break the store."""
    case = new_case()
    await put(store, case, "ж")
    await put(store, case, "a\ud800b", "A2")
    assert await store.read(case, "A1") == "ж".encode()
    assert await store.read(case, "A2") == b"a?b"


def same(one: bytes, other: bytes) -> bool:
    """Compare bodies without a test runner's wish to draw up their difference, which takes hours for megabytes."""
    return one == other


async def ranges_are_bounded(store: ArtifactStore) -> None:
    """Any offset and length is clamped to the body and to RANGE."""
    case, body = new_case(), secrets.token_bytes(RANGE + 100_000)
    await put(store, case, body)
    for start, length in ((0, 1), (5, 70_000), (262_143, 2), (262_144, 262_144), (len(body) - 3, 10), (len(body), 5), (0, 0)):
        assert same(await store.read(case, "A1", start, length), body[start : start + length]), (start, length)
    assert await store.read(case, "A1", -5, 3) == body[:3]
    assert await store.read(case, "A1", 10**30, 10**30) == await store.read(case, "A1", 3, -1) == b""
    assert same(await store.read(case, "A1", 1, 10**30), body[1 : RANGE + 1])
    assert (await store.stat(case, "A1", verify=True)).bytes == len(body)


async def same_content_is_one_handle(store: ArtifactStore) -> None:
    """Put is idempotent, a stem counts up for other content, and concurrent writers agree."""
    case = new_case()
    first = await put(store, case, b"one")
    assert await put(store, case, b"one", description="Said otherwise") == first
    assert [(await put(store, case, body)).alias for body in (b"two", b"three", b"two")] == ["A1.2", "A1.3", "A1.2"]
    handles = await asyncio.gather(*(put(store, case, str(n % 4), "A2") for n in range(12)))
    assert sorted({handle.alias for handle in handles}) == ["A2", "A2.2", "A2.3", "A2.4"]
    for n, handle in enumerate(handles):
        assert await store.read(case, handle.alias) == str(n % 4).encode()


async def handles_are_checked(store: ArtifactStore) -> None:
    """Metadata that a prompt could not carry is refused, without quoting it, and nothing is stored."""
    case = new_case()
    for change in ({"description": "secret " * 99}, {"description": ""}, {"kind": "no good"}, {"producer": "../x"}, {"media_type": "text"}):
        try:
            await put(store, case, b"x", **change)
        except StoreError as error:
            assert next(iter(change)) in str(error) and "secret" not in str(error), error
        else:
            raise AssertionError(f"accepted {change}")
    assert (await put(store, case, b"x", description="two\nlines\0")).description == "two lines"
    assert len(await store.list(case)) == 1


async def names_are_scoped_to_a_case(store: ArtifactStore) -> None:
    """Another case's, an unknown and a malformed name are all not found; lists never cross cases."""
    mine, other = new_case(), new_case()
    handle = await put(store, mine, b"mine")
    await put(store, other, b"other", "A2")
    absent = [(other, "A1"), (mine, "A2"), (new_case(), "A1")]
    for case, alias in (*absent, *((mine, name) for name in MALFORMED), *((name, "A1") for name in MALFORMED[4:])):
        await refused(store.read(case, alias))
        await refused(store.stat(case, alias, verify=True))
        await refused(store.delete(case, alias))
    for name in ("", "*", "../x", "a b", "c" * 65, "x\n"):
        for work in (store.list(name), store.delete_case(name), store.touch(name), put(store, name, b"x")):
            await refused(work)
    for stem in (*MALFORMED, "A3.2"):
        await refused(put(store, mine, b"x", stem))
    assert await store.list(mine) == [handle]
    assert await store.list(new_case()) == []


async def lists_are_in_order(store: ArtifactStore) -> None:
    """Aliases sort by letter and number."""
    case = new_case()
    for number, stem in enumerate(("A10", "A2", "G1", "A2")):
        await put(store, case, str(number), stem)
    assert [handle.alias for handle in await store.list(case)] == ["A2", "A2.2", "A10", "G1"]


async def deleting_removes_its_own_only(store: ArtifactStore) -> None:
    """A shared body lives until its last alias goes; a deleted case leaves the others alone; a freed alias serves again."""
    case, other = new_case(), new_case()
    for where, stem in ((case, "A1"), (case, "A2"), (other, "A1")):
        await put(store, where, b"shared", stem)
    await store.delete(case, "A1")
    await refused(store.read(case, "A1"))
    await refused(store.delete(case, "A1"))
    assert await store.read(case, "A2") == b"shared"
    await put(store, case, b"new")
    assert await store.read(case, "A1") == b"new"
    await store.delete_case(case)
    await store.delete_case(case)
    assert await store.list(case) == []
    await refused(store.read(case, "A2"))
    assert await store.read(other, "A1") == b"shared"
    assert (await store.stat(other, "A1", verify=True)).case == other


async def idle_cases_are_found(store: ArtifactStore) -> None:
    """`cases` names each case once, and by idle time those that nobody touched, and no others."""
    case, left = new_case(), new_case()
    await put(store, case, b"x")
    await put(store, case, b"y", "A2")
    await put(store, left, b"x")
    await asyncio.sleep(0.3)
    await store.touch(case)
    idle = await store.cases(idle=0.25)
    assert left in idle and case not in idle
    await store.touch(absent := new_case())
    assert (await store.cases()).count(case) == 1
    assert absent not in await store.cases() and case not in await store.cases(idle=3600)
    await store.delete_case(case)
    assert case not in await store.cases()


CHECKS: tuple[Check, ...] = (
    bytes_come_back_exactly,
    text_is_kept_as_utf8,
    ranges_are_bounded,
    same_content_is_one_handle,
    handles_are_checked,
    names_are_scoped_to_a_case,
    lists_are_in_order,
    deleting_removes_its_own_only,
    idle_cases_are_found,
)
