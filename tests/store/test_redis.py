"""Redis under real faults: killed, full, stalling, cut, dropping replies, evicting, and never telling the password."""

import asyncio
import gc
import logging
import re
import ssl
import subprocess
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from redis.asyncio import Redis
from redis.crc import key_slot
from redis.exceptions import ConnectionError

from contracts import SettingsError
from store import ArtifactDamaged, ArtifactStore, StoreError, StoreUnavailable, open_store
from store.conformance import new_case, put
from store.redis import RedisStore
from tests.servers import Proxy, ValkeyServer, valkey

SECRET = "pa55w0rd/x@y"
QUOTED = "pa55w0rd%2Fx%40y"


@pytest.fixture
def server() -> Iterator[ValkeyServer]:
    with valkey(appendonly="yes", appendfsync="always") as running:
        yield running


@pytest.fixture
def proxy(redis_url: str) -> Iterator[Proxy]:
    proxy = Proxy(int(redis_url.rsplit(":", 1)[1]))
    yield proxy
    proxy.close()


async def operations(store: ArtifactStore, case: str) -> None:
    await put(store, case, b"a" * 1000)
    await put(store, case, b"b")
    await put(store, case, b"b", "A2")
    await store.read(case, "A1")
    await store.stat(case, "A1", verify=True)
    await store.list(case)
    await store.touch(case)
    await store.delete(case, "A2")
    await store.delete_case(case)


async def test_every_key_of_an_operation_lies_in_one_slot(server: ValkeyServer) -> None:
    store, case = open_store(server.connection_url), new_case()
    with server.client() as client, client.monitor() as monitor:
        await operations(store, case)
        client_two = server.client()
        client_two.execute_command("ECHO", "end")
        commands = []
        for event in monitor.listen():
            if event["command"].startswith("ECHO"):
                break
            commands.append(event["command"])
        client_two.close()
    await store.aclose()
    keys = [key for command in commands for key in re.findall(r"desk:\S+", command)]
    assert len(keys) > 20 and {key_slot(key.encode()) for key in keys} == {key_slot(case.encode())}
    assert {command.split()[0].upper() for command in commands} & {"KEYS", "SCAN", "GET"} == set()


async def test_ranges_are_read_by_getrange(server: ValkeyServer) -> None:
    store, case = open_store(server.connection_url), new_case()
    await put(store, case, b"x" * 1_000_000)
    with server.client() as client:
        before = client.info("stats")["total_net_output_bytes"]
        assert await store.read(case, "A1", 500_000, 1000) == b"x" * 1000
        assert await store.read(case, "A1", 500_000, 1000) == b"x" * 1000
        assert client.info("stats")["total_net_output_bytes"] - before < 20_000
    await store.aclose()


async def test_a_server_that_is_down_is_a_clear_error_in_time(unused_tcp_port: int) -> None:
    store = open_store(f"redis://desk:{QUOTED}@127.0.0.1:{unused_tcp_port}/0?socket_timeout=60", timeout=0.5)
    start = time.monotonic()
    with pytest.raises(StoreUnavailable, match=rf"redis://127.0.0.1:{unused_tcp_port}/0: .*gave up after 0.5 s"):
        await put(store, new_case(), b"x")
    assert time.monotonic() - start < 2
    await store.aclose()


async def test_nothing_committed_is_lost_when_the_server_is_killed_and_restarted() -> None:
    with valkey(appendonly="yes", appendfsync="always") as server:
        port = server.port
        store, case = open_store(server.connection_url, timeout=10), new_case()
        kept = [await put(store, case, f"body {n}", f"A{n}") for n in range(1, 20)]
        server.terminate()
        server._desired_port = port
        late = asyncio.create_task(put(store, case, b"while down", "A20"))
        await asyncio.sleep(0.3)
        await asyncio.to_thread(server.start)
        kept.append(await late)
        assert await store.list(case) == kept
        for handle in kept:
            assert await store.stat(case, handle.alias, verify=True) == handle
        await store.aclose()


async def test_a_kill_in_the_middle_of_many_puts_leaves_no_dangling_handle() -> None:
    with valkey(appendonly="yes", appendfsync="always") as server:
        port = server.port
        store, case = open_store(server.connection_url, timeout=1), new_case()
        done = []

        async def writer(number: int) -> None:
            for n in range(40):
                done.append(await put(store, case, f"{number} {n}" * 500, f"A{100 * number + n + 1}"))

        writers = [asyncio.create_task(writer(number)) for number in range(4)]
        while len(done) < 30:
            await asyncio.sleep(0.001)
        server.terminate()
        results = await asyncio.gather(*writers, return_exceptions=True)
        assert all(isinstance(result, StoreUnavailable) for result in results)
        server._desired_port = port
        await asyncio.to_thread(server.start)
        listed = await store.list(case)
        assert {handle.alias for handle in done} <= {handle.alias for handle in listed}
        for handle in listed:
            assert await store.stat(case, handle.alias, verify=True) == handle
        await store.aclose()


async def test_a_full_server_refuses_the_whole_write() -> None:
    with valkey(maxmemory="3mb", maxmemory_policy="noeviction") as server:
        store, case = open_store(server.connection_url), new_case()
        await put(store, case, b"small")
        with pytest.raises(StoreUnavailable, match="OutOfMemory.*maxmemory") as caught:
            for n in range(2, 40):
                await put(store, case, bytes([n]) * 300_000, f"A{n}")
        assert "SET" not in str(caught.value)
        handles = await store.list(case)
        assert 0 < len(handles) < 20
        for handle in handles:
            await store.stat(case, handle.alias, verify=True)
        await store.delete_case(case)
        await put(store, case, b"works again")
        await store.aclose()


async def test_an_evicted_body_is_reported_and_can_be_put_again(server: ValkeyServer) -> None:
    store, case = open_store(server.connection_url), new_case()
    handle = await put(store, case, b"evicted")
    with server.client() as client:
        client.delete(f"desk:{{{case}}}:{handle.digest}")
    for lost in (store.read(case, "A1"), store.read(case, "A1", 2, 3), store.stat(case, "A1", verify=True)):
        with pytest.raises(ArtifactDamaged, match=f"artifact A1 of case {case}: its body is gone"):
            await lost
    assert await store.stat(case, "A1") == handle
    assert await put(store, case, b"evicted") == handle
    assert await store.stat(case, "A1", verify=True) == handle
    with server.client() as client:
        client.setrange(f"desk:{{{case}}}:{handle.digest}", 3, b"X")
    with pytest.raises(ArtifactDamaged, match="digests differ"):
        await store.read(case, "A1")
    with server.client() as client:
        client.hset(f"desk:{{{case}}}", "A1", b"\xff{")
    with pytest.raises(ArtifactDamaged, match="entry"):
        await store.stat(case, "A1")
    await store.aclose()


async def test_a_stale_digest_is_never_served() -> None:
    with valkey() as server:
        mine, other, case = open_store(server.connection_url), open_store(server.connection_url), new_case()
        await put(mine, case, b"old")
        await put(mine, case, b"old", "A2")
        assert await mine.read(case, "A1") == b"old"
        await other.delete(case, "A1")
        await put(other, case, b"new!")
        assert await mine.read(case, "A1") == b"new!"
        await mine.aclose()
        await other.aclose()


async def test_a_dropped_reply_after_the_write_leaves_one_whole_artifact(proxy: Proxy) -> None:
    store, case = open_store(f"redis://127.0.0.1:{proxy.port}", timeout=5), new_case()
    await put(store, case, b"first")
    proxy.drop_replies(b"EVAL", times=2)
    handle = await put(store, case, b"second")
    assert proxy.dropped == 2
    assert handle.alias == "A1.2" and [found.alias for found in await store.list(case)] == ["A1", "A1.2"]
    assert await store.stat(case, "A1.2", verify=True) == handle
    proxy.drop_replies(b"HGET", times=1)
    assert await store.read(case, "A1.2") == b"second"
    await store.aclose()


async def test_replies_that_never_come_end_in_time_and_leave_nothing_dangling(proxy: Proxy, redis_url: str) -> None:
    store, direct, case = open_store(f"redis://127.0.0.1:{proxy.port}", timeout=1), open_store(redis_url), new_case()
    proxy.drop_replies(b"EVAL", times=10**6)
    start = time.monotonic()
    with pytest.raises(StoreUnavailable):
        await put(store, case, b"uncertain")
    assert time.monotonic() - start < 2.5
    for handle in await direct.list(case):
        await direct.stat(case, handle.alias, verify=True)
    await store.aclose()
    await direct.aclose()


async def test_a_stall_ends_in_time_and_the_next_read_is_not_fed_the_old_reply(proxy: Proxy) -> None:
    store, case = open_store(f"redis://127.0.0.1:{proxy.port}", timeout=1), new_case()
    await put(store, case, b"one")
    await put(store, case, b"two", "A2")
    proxy.stalled = True
    start = time.monotonic()
    results = await asyncio.gather(*(store.read(case, "A1") for _ in range(40)), return_exceptions=True)
    assert time.monotonic() - start < 2.5
    assert all(isinstance(result, StoreUnavailable) for result in results)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(store.read(case, "A1"), 0.1)
    proxy.stalled = False
    assert await store.read(case, "A2") == b"two"
    assert await store.read(case, "A1") == b"one"
    await store.aclose()


async def test_a_client_that_swallows_the_timer_cannot_prolong_an_operation(redis_url: str) -> None:
    store, calls = RedisStore(redis_url, timeout=0.2), []

    async def work(client: Redis) -> None:
        calls.append(client)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ConnectionError("closing failed") from None

    with pytest.raises(StoreUnavailable, match="closing failed; gave up after 0.2 s"):
        await asyncio.wait_for(store._line.run(work), 2)
    assert len(calls) == 1
    await store.aclose()


async def test_a_store_that_is_dropped_leaves_no_connection_and_no_thread(server: ValkeyServer) -> None:
    before = set(threading.enumerate())
    store = open_store(server.connection_url)
    await put(store, new_case(), b"x")
    (started,) = (thread for thread in set(threading.enumerate()) - before if thread.name == "desk-redis")
    del store
    gc.collect()
    await asyncio.to_thread(started.join, 5)
    assert not started.is_alive()
    with server.client() as client:
        assert len(client.client_list()) == 1


async def test_a_cut_connection_is_replaced(proxy: Proxy) -> None:
    store, case = open_store(f"redis://127.0.0.1:{proxy.port}"), new_case()
    for n in range(1, 6):
        await put(store, case, str(n), f"A{n}")
        proxy.cut()
    assert len(await store.list(case)) == 5
    await store.aclose()


# A handshake that the client breaks off leaves its socket to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
async def test_a_tls_url_and_an_acl_user_work(server: ValkeyServer, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    kind = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost".split()
    subprocess.run(["openssl", "req", *kind, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    proxy = Proxy(server.port, tls=context)
    with server.client() as client:
        client.execute_command("ACL", "SETUSER", "desk", "on", f">{SECRET}", "~desk:*", "+@all")
    url = f"rediss://desk:{QUOTED}@localhost:{proxy.port}/0?ssl_ca_certs={cert}&max_connections=2"
    store, case = open_store(url), new_case()
    with blockbuster_ctx():
        await operations(store, case)
    await asyncio.gather(*(put(store, case, str(n), f"A{n + 1}") for n in range(20)))
    with server.client() as client:
        assert len([one for one in client.client_list() if one["user"] == "desk"]) <= 2
    await store.aclose()
    await asyncio.sleep(0.05)
    with server.client() as client:
        assert not [one for one in client.client_list() if one["user"] == "desk"]
    caplog.set_level(logging.DEBUG)
    for wrong in (url.replace(QUOTED, "wr0ng-secret"), url.replace(str(cert), str(key)), f"rediss://desk:{QUOTED}@localhost:{proxy.port}"):
        refused = open_store(wrong, timeout=0.5)
        with pytest.raises(StoreUnavailable) as caught:
            await put(refused, case, b"x")
        told = f"{caught.value!r} {refused!r} {''.join(traceback.format_exception(caught.value))} {caplog.text}"
        assert not re.search(f"{re.escape(SECRET)}|{QUOTED}|wr0ng-secret", told)
        assert f"localhost:{proxy.port}" in str(caught.value)
        await refused.aclose()
    proxy.close()
    gc.collect()


async def test_a_unix_socket_works(tmp_path: Path) -> None:
    server = ValkeyServer(unix_socket_path=tmp_path / "s", port=0)
    with server:
        store, case = open_store(f"unix://{tmp_path / 's'}?db=1"), new_case()
        await operations(store, case)
        assert repr(store) == f"RedisStore('unix://{tmp_path / 's'}')"
        await store.aclose()


@pytest.mark.parametrize("url", [f"redis://u:{SECRET}#@host:port/0", f"redis://:{SECRET}@[::1/0", f"rediss://:{SECRET}@h:99999"])
def test_an_unreadable_url_does_not_show_its_password(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_store(url)
    assert "pa55w0rd" not in "".join(traceback.format_exception(caught.value))


def test_one_store_serves_many_event_loops_and_sync_callers(redis_url: str) -> None:
    store, case = open_store(redis_url), new_case()
    for n in range(1, 5):
        asyncio.run(put(store, case, str(n), f"A{n}"))

    async def both() -> int:
        inside = asyncio.to_thread(asyncio.run, store.list(case))
        return len(await inside) + len(await store.list(case))

    assert asyncio.run(both()) == 8
    asyncio.run(store.aclose())
    assert asyncio.run(store.read(case, "A4")) == b"4"
    asyncio.run(store.aclose())


async def test_a_cancelled_caller_leaves_the_pool_usable(redis_url: str) -> None:
    store, case = open_store(f"{redis_url}?max_connections=1"), new_case()
    await put(store, case, b"x" * 2_000_000)
    for _ in range(20):
        task = asyncio.create_task(store.read(case, "A1", 0, 2_000_000))
        await asyncio.sleep(0.001)
        task.cancel()
    assert await store.read(case, "A1", 0, 3) == b"xxx"
    await store.aclose()


async def test_a_touched_case_outlives_its_ttl_and_an_untouched_one_goes_whole(server: ValkeyServer) -> None:
    store, open_case, left = RedisStore(server.connection_url, ttl=2), new_case(), new_case()
    for case in (open_case, left):
        await put(store, case, b"1")
        await put(store, case, b"2", "A2")
    await asyncio.sleep(1.2)
    await store.touch(open_case)
    assert await store.cases(idle=1) == [left]
    await asyncio.sleep(1.2)
    assert [handle.alias for handle in await store.list(open_case)] == ["A1", "A2"]
    assert await store.read(open_case, "A1") == b"1"
    assert await store.list(left) == []
    with server.client() as client:
        assert client.dbsize() == 3
    await store.aclose()


async def test_deleting_leaves_no_key_behind(server: ValkeyServer) -> None:
    store, case = open_store(server.connection_url), new_case()
    await asyncio.gather(*(put(store, case, str(n), "A1") for n in range(8)))
    await store.delete(case, "A1.2")
    with server.client() as client:
        assert client.dbsize() == 8
        await store.delete_case(case)
        assert client.dbsize() == 0
    await store.aclose()


async def test_puts_race_deletes_of_the_same_content(redis_url: str) -> None:
    store, case = open_store(redis_url), new_case()

    async def remove() -> None:
        try:
            await store.delete(case, "A1")
        except StoreError:
            pass

    for _ in range(30):
        await put(store, case, b"same", "A1")
        await asyncio.gather(remove(), put(store, case, b"same", "A2"), remove(), put(store, case, b"same", "A3"))
        for alias in ("A2", "A3"):
            await store.stat(case, alias, verify=True)
        await store.delete_case(case)
    await store.aclose()
