"""Whole runs over a store that dies, fills up, stalls or loses bodies: each ends by itself with an answer that says what is missing."""

import asyncio
import json
import random
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.runtime import Runtime
from langgraph.types import Command

from agents.specialist import Task
from contracts import Handle, Return
from graph.desk import desk_of
from graph.nodes import make_answer
from graph.workflow import build
from ledger import Limits
from store import MemoryStore, SqliteStore, StoreUnavailable, open_store
from store.redis import RedisStore
from tests.graph.faulty import CRITERIA, GOAL, NAMES, THREAD, Ended, holds, route, run, working
from tests.graph.instrumented import finding, moves
from tests.scripted import Count, Scripted, four
from tests.servers import Proxy, ValkeyServer, valkey


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.keeping.PAUSE", 0.01)


@pytest.fixture
def server() -> Iterator[ValkeyServer]:
    with valkey(appendonly="yes", appendfsync="always") as running:
        yield running


@pytest.fixture
def proxy(server: ValkeyServer) -> Iterator[Proxy]:
    proxy = Proxy(server.port)
    yield proxy
    proxy.close()


async def restart(server: ValkeyServer, port: int) -> None:
    server._desired_port = port
    await asyncio.to_thread(server.start)


async def kill(server: ValkeyServer) -> None:
    server.terminate()


async def test_a_server_that_is_killed_and_restarted_costs_nothing(server: ValkeyServer) -> None:
    store, port, tasks = open_store(server.connection_url, timeout=10), server.port, []

    async def fall() -> None:
        server.terminate()
        tasks.append(asyncio.create_task(later()))

    async def later() -> None:
        await asyncio.sleep(0.3)
        await restart(server, port)

    ended = await run(store, {2: fall})
    await holds(ended, store)
    assert ended.statuses == ["done"] * 4 and ended.ledger["status"] == "done" and ended.ledger["answer"] == "R1"
    await store.aclose()


async def test_a_server_that_stays_down_fails_the_steps_and_the_answer_names_what_is_lost(server: ValkeyServer) -> None:
    store, port = open_store(server.connection_url, timeout=0.5), server.port
    ended = await run(store, {3: lambda: kill(server)})
    assert ended.statuses == ["done", "done", "failed", "failed"]
    assert ended.seconds < 5, "two failed puts, one round of reads, three more operations"
    for step in ended.ledger["steps"][2:]:
        assert step["artifacts"] == [] and step["cause"].startswith("Redis store: Error 111")
    assert "left out: A1 (note of step 1), A2 (note of step 2)" in ended.values["answer"]
    assert [item["status"] for item in ended.ledger["criteria"]] == ["unsettled"] * 4 and ended.ledger["answer"] is None
    await restart(server, port)
    await holds(ended, store)
    assert [handle.alias for handle in await store.list(ended.ledger["case"])] == ["A1", "A2"], "what was committed is still there"
    await store.aclose()


async def test_a_server_that_was_never_there_still_ends_with_an_answer(unused_tcp_port: int) -> None:
    store = open_store(f"redis://desk:s3cret@127.0.0.1:{unused_tcp_port}", timeout=0.3)
    ended = await run(store)
    assert ended.statuses == ["failed"] * 4 and ended.seconds < 4
    assert "s3cret" not in repr(ended.values)
    await holds(ended, store)
    await store.aclose()


async def test_a_full_server_fails_the_step_that_hit_the_limit() -> None:
    with valkey(maxmemory="3mb", maxmemory_policy="noeviction") as server:
        store = open_store(server.connection_url)
        ended = await run(store, size=700_000)
        assert 0 < ended.statuses.count("done") < 4 and "failed" in ended.statuses
        full = next(step for step in ended.ledger["steps"] if step["status"] == "failed")
        assert "OutOfMemory" in full["cause"] and full["artifacts"] == []
        await holds(ended, store)
        await store.aclose()


@pytest.mark.parametrize("command", [b"EVAL", b"HGET", b"SET"])
async def test_dropped_replies_are_made_good(proxy: Proxy, command: bytes) -> None:
    async def drop() -> None:
        proxy.drop_replies(command, times=2)

    store = open_store(f"redis://127.0.0.1:{proxy.port}", timeout=5)
    ended = await run(store, {2: drop, 4: drop})
    await holds(ended, store)
    assert ended.statuses == ["done"] * 4 and proxy.dropped >= 2
    await store.aclose()


async def test_cut_connections_are_made_good(proxy: Proxy) -> None:
    async def cut() -> None:
        await asyncio.to_thread(proxy.cut)

    store = open_store(f"redis://127.0.0.1:{proxy.port}", timeout=5)
    ended = await run(store, {step: cut for step in (1, 2, 3, 4)})
    await holds(ended, store)
    assert ended.statuses == ["done"] * 4
    await store.aclose()


async def test_a_stall_ends_in_time_and_what_was_committed_is_used_after_it(proxy: Proxy) -> None:
    async def stall() -> None:
        proxy.stalled = True

    async def over() -> None:
        proxy.stalled = False

    store = open_store(f"redis://127.0.0.1:{proxy.port}", timeout=0.5)
    ended = await run(store, {2: stall, 4: over})
    await holds(ended, store)
    assert ended.statuses == ["done", "failed", "failed", "done"] and ended.seconds < 4
    assert "permits at 12 Elm St: step 2 (permits) failed: Redis store: " in ended.values["answer"]
    proxy.stalled = True
    stalled = await run(store)
    assert stalled.statuses == ["failed"] * 4 and stalled.seconds < 5
    proxy.stalled = False
    await store.aclose()


async def test_a_full_disk_fails_the_step_that_hit_it(tiny_disk: Path) -> None:
    store = open_store(tiny_disk / "artifacts.db")
    ended = await run(store, size=700_000)
    assert ended.statuses[0] == "done" and "failed" in ended.statuses
    assert any("disk is full" in step["cause"] for step in ended.ledger["steps"])
    await holds(ended, store)
    await store.aclose()


async def test_a_file_that_is_damaged_in_mid_run_ends_with_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "artifacts.db"
    store = SqliteStore(path)

    async def damage() -> None:
        await store.aclose()
        path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 40_000)

    ended = await run(store, {3: damage}, size=50_000)
    assert ended.statuses == ["done", "done", "failed", "failed"] and "SQLite store is damaged" in ended.ledger["steps"][2]["cause"]
    assert "left out: A1 (note of step 1), A2 (note of step 2)" in ended.values["answer"]
    await holds(ended, store, lost=("A1", "A2"))
    await store.aclose()


async def delete(store: RedisStore, server: ValkeyServer, handle: Handle) -> None:
    await store.delete(handle.case, handle.alias)


async def evict(store: RedisStore, server: ValkeyServer, handle: Handle) -> None:
    with server.client() as client:
        assert client.delete(f"desk:{{{handle.case}}}:{handle.digest}") == 1


async def flip(store: RedisStore, server: ValkeyServer, handle: Handle) -> None:
    with server.client() as client:
        client.setrange(f"desk:{{{handle.case}}}:{handle.digest}", handle.bytes - 1, b"#")


async def shorten(store: RedisStore, server: ValkeyServer, handle: Handle) -> None:
    key = f"desk:{{{handle.case}}}:{handle.digest}"
    with server.client() as client:
        client.set(key, client.get(key)[:-1000])


@pytest.mark.parametrize("fault", [delete, evict, flip, shorten])
@pytest.mark.parametrize("size", [2_000, 100_000])
async def test_a_body_that_is_lost_before_the_answer_is_named_and_the_others_are_used(
    server: ValkeyServer, fault: Callable[..., Awaitable[None]], size: int
) -> None:
    store = RedisStore(server.connection_url)

    async def hook() -> None:
        case = (await store.cases())[0]
        await fault(store, server, await store.stat(case, "A2"))

    ended = await run(store, {4: hook}, size=size)
    answer = ended.values["answer"]
    assert ended.statuses == ["done"] * 4 and ended.ledger["status"] == "stopped"
    assert [item["status"] for item in ended.ledger["criteria"]] == ["met", "unsettled", "met", "met"]
    assert "permits at 12 Elm St: its evidence could not be read any more" in answer and "left out: A2 (note of step 2)." in answer
    assert "- 101000001" in answer and "- 101000003" in answer and "- 101000002" not in answer
    await holds(ended, store, lost=("A2",))
    await store.aclose()


async def asking(task: Task) -> Return:
    if task.specialist.name == "permits" and not task.answers:
        return task.returned("blocked", "the house is not known", "Two houses are meant.", Count(count=0), questions=["Which house?"])
    return await working({}, 2_000)(task)


async def test_a_case_that_expires_while_a_person_is_awaited_still_ends_with_an_answer(server: ValkeyServer) -> None:
    store = RedisStore(server.connection_url, ttl=1)
    waiting = await run(store, specialists=four(asking))
    assert waiting.values["__interrupt__"]
    await asyncio.sleep(1.2)
    assert await store.list(waiting.ledger["case"]) == []
    ended = Ended(await waiting.graph.ainvoke(Command(resume="12"), THREAD), 0, waiting.saver, waiting.graph)
    assert "left out: A1 (note of step 1)" in ended.values["answer"]
    assert [item["status"] for item in ended.ledger["criteria"]][0] == "unsettled"
    await holds(ended, store, lost=("A1",))
    await store.aclose()


class Flaky(MemoryStore):
    """A store whose puts under some stems fail as often as it is told, and which remembers touches."""

    def __init__(self, *stems: str, times: int = 10**9) -> None:
        super().__init__()
        self.stems, self.times, self.tried, self.touched = stems, times, 0, 0

    async def put(self, case: str, body: bytes | str, *, stem: str, **fields: Any) -> Handle:
        if stem.startswith(self.stems) and self.tried < self.times:
            self.tried += 1
            raise StoreUnavailable("the store is away")
        return await super().put(case, body, stem=stem, **fields)

    async def touch(self, case: str) -> None:
        self.touched += 1
        raise StoreUnavailable("the store is away")


class Raw(MemoryStore):
    """A backend of one's own that lets its driver's errors through, once it is broken."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error, self.broken = error, False

    async def _write(self, *given: Any) -> str:
        return await self._whole(super()._write(*given))

    async def _fetch(self, *given: Any) -> Any:
        return await self._whole(super()._fetch(*given))

    async def _touch(self, case: str) -> None:
        await self._whole(super()._touch(case))

    async def _whole(self, work: Awaitable[Any]) -> Any:
        done = await work
        if self.broken:
            raise self.error
        return done


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), TimeoutError(), KeyError("s3cret")], ids=lambda error: type(error).__name__
)
async def test_whatever_a_store_of_ones_own_raises_costs_steps_and_not_the_run(error: Exception) -> None:
    store = Raw(error)

    async def fall() -> None:
        store.broken = True

    ended = await run(store, {3: fall})
    assert ended.statuses == ["done", "done", "failed", "failed"] and ended.ledger["answer"] is None
    assert ended.ledger["steps"][3]["cause"].startswith(f"artifact store Raw: {type(error).__name__}, ")
    assert "left out: A1 (note of step 1), A2 (note of step 2)" in ended.values["answer"] and "s3cret" not in repr(ended.values)
    with pytest.raises(StoreUnavailable, match="no case was opened and nothing is lost, send the same goal again: artifact store Raw: ") as caught:
        await ended.graph.ainvoke({"goal": "It began long ago. " * 400}, {**THREAD, "configurable": {"thread_id": "other"}})
    assert caught.value.__cause__ and "s3cret" not in str(caught.value)
    store.broken = False
    await holds(ended, store)


async def test_a_pause_stands_a_store_that_raises_what_it_likes() -> None:
    store = Raw(ConnectionResetError(104, "Connection reset by peer"))

    async def fall(task: Task) -> Return:
        store.broken = store.broken or task.specialist.name == "permits" and not task.answers
        return task.returned("blocked", "the house is not known", "Two houses are meant.", Count(count=0), questions=["Which house?"])

    waiting = await run(store, specialists=four(fall), criteria=CRITERIA[1:2])
    assert waiting.values["__interrupt__"] and store.broken
    ended = await waiting.graph.ainvoke(Command(resume="it is number 12 " * 200), THREAD)
    assert ended["ledger"]["questions"][0]["status"] == "answered" and ended["ledger"]["questions"][0]["handle"] is None


async def test_a_compaction_that_cannot_be_stored_stops_the_case_with_an_answer() -> None:
    store = Flaky("L")
    ended = await run(store, **long(criteria=4))
    assert ended.ledger["status"] == "stopped" and ended.ledger["archive"] == [] and store.tried == 3
    assert ended.ledger["reason"] == "older turns could not be archived: the store is away"
    assert max(item["prompt_tokens"] for item in ended.ledger["decisions"]) <= 1500
    assert ended.values["answer"] and store.touched >= 1, "a touch that fails is not felt"
    assert not ended.ledger["rejected"] and not ended.ledger["conflicts"]


async def test_a_compaction_is_tried_again_before_the_case_stops() -> None:
    store = Flaky("L", times=2)
    ended = await run(store, **long(criteria=3))
    assert ended.ledger["status"] == "done" and ended.ledger["archive"] and store.tried == 2


def long(*, criteria: int) -> dict[str, Any]:
    """Return what makes a case so long that it must be compacted."""
    replies = moves(60)
    router = lambda system, user: replies.pop(0) if len(replies) > 1 else replies[0]  # noqa: E731
    return {"router": router, "specialists": four(finding()), "criteria": CRITERIA[:criteria], "limits": Limits(max_hops=2000)}


async def test_an_answer_that_cannot_be_stored_is_still_given() -> None:
    store = Flaky("R")
    ended = await run(store)
    await holds(ended, store)
    assert ended.ledger["status"] == "done" and ended.ledger["answer"] is None and "101000004" in ended.values["answer"]


async def test_a_long_reply_of_a_person_that_cannot_be_stored_goes_on_cut() -> None:
    store = Flaky("G")
    waiting = await run(store, specialists=four(asking))
    ended = await waiting.graph.ainvoke(Command(resume="it is number 12 " * 200), THREAD)
    question = ended["ledger"]["questions"][0]
    assert question["status"] == "answered" and question["handle"] is None and question["answer"].startswith("it is number 12")
    assert ended["ledger"]["status"] == "done" and store.tried == 3


@pytest.mark.parametrize("again", ["the same goal", "a bare continue"])
async def test_a_long_goal_that_cannot_be_stored_is_a_clear_error_and_goes_on_when_sent_again(again: str) -> None:
    store, goal = Flaky("G1", times=3), f"{GOAL}. " + "It began long ago. " * 400
    graph = build(model=Scripted(answer=route), store=store, specialists=four(working({}, 2_000)), checkpointer=InMemorySaver())
    with pytest.raises(RuntimeError, match="no case was opened and nothing is lost, send the same goal again: the store is away"):
        await graph.ainvoke({"goal": goal, "criteria": CRITERIA}, THREAD)
    assert not (await graph.aget_state(THREAD)).values.get("ledger")
    ended = await graph.ainvoke(None if again == "a bare continue" else {"goal": goal, "criteria": CRITERIA}, THREAD)
    assert ended["ledger"]["status"] == "done" and ended["ledger"]["goal_handle"] == "G1" and len(ended["ledger"]["criteria"]) == 4
    assert await store.read(ended["ledger"]["case"], "G1") == goal.encode()


async def test_an_earlier_case_that_cannot_be_stored_is_not_given_up_for_the_new_one() -> None:
    store = Flaky("E1", times=3)
    first = await run(store)
    with pytest.raises(RuntimeError, match="no case was opened and nothing is lost"):
        await first.graph.ainvoke({"goal": "Something else"}, THREAD)
    assert (await first.graph.aget_state(THREAD)).values["ledger"] == first.ledger, "the earlier case still stands"
    second = await first.graph.ainvoke({"goal": "Something else", "criteria": CRITERIA}, THREAD)
    assert second["ledger"]["earlier"]["handle"] == "E1" and second["ledger"]["status"] == "done"
    assert json.loads(await store.read(second["ledger"]["case"], "E1"))["ledger"] == first.ledger


async def test_an_answer_that_was_given_is_read_again_and_made_again_when_it_is_lost() -> None:
    store = MemoryStore()
    ended = await run(store)
    node = make_answer(desk_of(four(), given_store=store, given_model=Scripted("")))
    assert (await node(ended.values, Runtime()))["answer"] == ended.values["answer"]
    await store.delete(ended.ledger["case"], "R1")
    await store.delete(ended.ledger["case"], "A3")
    made = (await node(ended.values, Runtime()))["answer"]
    assert "101000001 is on file" in made and "left out: A3 (note of step 3)." in made


async def test_a_case_is_touched_before_a_person_is_awaited(server: ValkeyServer) -> None:
    store = RedisStore(server.connection_url, ttl=3)

    async def late(task: Task) -> Return:
        await asyncio.sleep(1.2 if task.specialist.name == "permits" else 0)
        return await asking(task)

    waiting = await run(store, specialists=four(late))
    assert waiting.values["__interrupt__"]
    with server.client() as client:
        left = [client.pttl(key) for key in client.keys("desk:*")]
    assert len(left) == 2 and min(left) > 2_000
    await store.aclose()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
async def test_a_storm_of_faults_ends_in_time_and_leaves_nothing_dangling(seed: int) -> None:
    """Kill, restart, stall, cut and drop at random steps of a fan-out; what was committed is there afterwards."""
    chance = random.Random(seed)
    with valkey(appendonly="yes", appendfsync="always") as server:
        port, proxy, later = server.port, Proxy(server.port), set[asyncio.Task[None]]()
        store, direct = open_store(f"redis://127.0.0.1:{proxy.port}", timeout=1), open_store(server.connection_url)

        mending = asyncio.Lock()

        async def mend(seconds: float) -> None:
            await asyncio.sleep(seconds)
            proxy.stalled = False
            async with mending:
                if server._process is None:
                    await restart(server, port)

        async def fault() -> None:
            match chance.choice(["kill", "stall", "cut", "drop", "none"]):
                case "kill":
                    server.terminate()
                case "stall":
                    proxy.stalled = True
                case "cut":
                    await asyncio.to_thread(proxy.cut)
                case "drop":
                    proxy.drop_replies(chance.choice([b"EVAL", b"HGET", b"SET"]), times=chance.randrange(1, 4))
            later.add(asyncio.create_task(mend(chance.choice([0.1, 0.5, 1.5]))))

        def wide(system: str, user: str) -> str:
            decision = json.loads(route(system, user))
            if decision["action"] == "dispatch":
                found = re.findall(r"(c\d) open", user)
                decision["dispatch"] = [{"specialist": NAMES[int(name[1]) - 1], "ask": f"{name}: look", "handles": []} for name in found[:2]]
            return json.dumps(decision)

        ended = await run(store, {step: fault for step in (1, 2, 3, 4)}, router=wide, size=chance.choice([500, 300_000]))
        assert ended.seconds < 12, "two rounds of puts with their checks, and the answer's operations, at one second each"
        await asyncio.gather(*later)
        await holds(ended, direct, lost=())
        for handle in await direct.list(ended.ledger["case"]):
            await direct.stat(handle.case, handle.alias, verify=True)
        await asyncio.to_thread(proxy.close)
        await store.aclose()
        await direct.aclose()
