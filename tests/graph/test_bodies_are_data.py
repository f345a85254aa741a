"""Bodies and goals are data: kept byte for byte, read in bounded parts, and never built into objects."""

import json
import re
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from agents.specialist import Task
from contracts import Return, estimate
from graph.nodes import answer as answering
from graph.workflow import build
from store import ArtifactStore, MemoryStore, open_store
from tests.graph.faulty import CRITERIA, GOAL, THREAD, route, run
from tests.scripted import Count, Scripted, dispatch, finish, four

ENVELOPE = json.dumps({"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "AIMessage"], "kwargs": {"content": "x"}})
SECOND = json.dumps({"lc": 2, "type": "constructor", "id": ["os", "system"], "method": None, "args": ["true"], "kwargs": {}})
LINE = json.dumps([{"id": f"10100{n:04d}", "text": "é" * 40} for n in range(5_000)], ensure_ascii=False)[:400_000]
LINES = "x\n" * 50_000
STRICT = JsonPlusSerializer(allowed_msgpack_modules=None)


def storing(bodies: dict[str, bytes | str], outcome: str = "The record 101000001 is on file.") -> Any:
    """Return work that stores the body of its specialist and says `outcome`."""

    async def work(task: Task) -> Return:
        body = bodies.get(task.specialist.name, "plain")
        handle = await task.put(body, kind="note", description=f"note of step {task.step}", media_type="text/plain")
        return task.returned("done", "one record found", outcome, Count(count=1), [handle])

    return work


@pytest.mark.parametrize("kind", ["memory:", "artifacts.db"])
async def test_an_envelope_that_looks_like_an_object_stays_text_from_end_to_end(kind: str, tmp_path: Path) -> None:
    store: ArtifactStore = open_store(kind if kind == "memory:" else tmp_path / kind)
    asked: list[str] = []

    async def work(task: Task) -> Return:
        if task.specialist.name == "permits" and not task.answers:
            return task.returned("blocked", "not known", "Two houses.", Count(count=0), questions=[ENVELOPE[:100] + "?"])
        asked.extend(answer for _, answer in task.answers)
        return await storing({"potholes": ENVELOPE, "permits": SECOND}, outcome=f"Found {ENVELOPE}")(task)

    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "threads.db")) as saver:
        saver.serde = STRICT
        graph = build(model=Scripted(answer=route), store=store, specialists=four(work), checkpointer=saver)
        await graph.ainvoke({"goal": ENVELOPE, "criteria": CRITERIA}, THREAD)
        ended = await graph.ainvoke(Command(resume={"answer": ENVELOPE}), THREAD)
        kept = (await graph.aget_state(THREAD)).values
    for ledger in (ended["ledger"], kept["ledger"]):
        assert ledger["goal"] == ENVELOPE and ledger["status"] == "done" and not ledger["rejected"]
        assert plain(ledger) and ledger["steps"][0]["outcome"] == f"Found {ENVELOPE}"
    assert asked and asked[0] == ENVELOPE
    assert await store.read(kept["ledger"]["case"], "A1") == ENVELOPE.encode()
    assert await store.read(kept["ledger"]["case"], kept["ledger"]["steps"][-1]["artifacts"][0]) == b"plain"
    assert isinstance(ended["answer"], str)
    await store.aclose()


def plain(value: Any) -> bool:
    """Say whether a value is made of JSON's own types alone."""
    if type(value) is dict:
        return all(type(key) is str and plain(item) for key, item in value.items())
    return all(map(plain, value)) if type(value) is list else value is None or type(value) in (str, int, float, bool)


async def test_an_object_that_is_planted_in_a_checkpoint_is_not_built(tmp_path: Path) -> None:
    mark = tmp_path / "built"
    planted = ormsgpack.packb({"ledger": ormsgpack.Ext(0, ormsgpack.packb(("os", "system", f"touch {mark}")))})
    JsonPlusSerializer(allowed_msgpack_modules=True).loads_typed(("msgpack", planted))
    assert mark.exists(), "this is what a permissive serializer does"
    mark.unlink()
    saver = InMemorySaver(serde=STRICT)
    ended = await run(MemoryStore())
    graph = build(model=Scripted(answer=route), store=MemoryStore(), specialists=four(storing({})), checkpointer=saver)
    await graph.ainvoke({"goal": GOAL, "criteria": CRITERIA}, THREAD)
    for key in saver.blobs:
        if key[2] == "ledger":
            saver.blobs[key] = ("msgpack", ormsgpack.packb(ormsgpack.Ext(0, ormsgpack.packb(("os", "system", f"touch {mark}")))))
    with pytest.raises(ValueError, match="the ledger is missing or is not an object"):
        await graph.ainvoke({"goal": GOAL, "criteria": CRITERIA}, THREAD)
    assert not mark.exists() and ended.ledger["status"] == "done"


def test_servers_load_strictly_too() -> None:
    root = Path(__file__).parents[2]
    serde = json.loads((root / "langgraph.json").read_text())["checkpointer"]["serde"]
    assert serde == {"allowed_msgpack_modules": None, "pickle_fallback": False}
    assert re.search(r"^export LANGGRAPH_STRICT_MSGPACK := true$", (root / "Makefile").read_text(), re.M)


@pytest.mark.parametrize("kind", ["memory:", "artifacts.db"])
async def test_utf_16_and_nul_are_kept_exactly_and_shown_clean(kind: str, tmp_path: Path) -> None:
    store = open_store(kind if kind == "memory:" else tmp_path / kind)
    bodies: dict[str, bytes | str] = {
        "potholes": "\ufeff- 101000001: Straße, 道路\r\n".encode("utf-16-le"),
        "permits": b"- 101000002: fixed\x00\x1b[31mred\x1b[0m\n",
        "sanitation": bytes(range(256)),
        "housing": "\ud800 lone".encode("utf-8", "surrogatepass"),
    }
    outcome = "Record 101000001 is fixed\x00 \x1b[31mred\x1b[0m z\u200be\u200br\u200bo."
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "threads.db")) as saver:
        graph = build(model=Scripted(answer=route), store=store, specialists=four(storing(bodies, outcome)), checkpointer=saver)
        ended = await graph.ainvoke({"goal": f"{GOAL}\x00", "criteria": CRITERIA}, THREAD)
    ledger = ended["ledger"]
    assert ledger["status"] == "done" and not ledger["rejected"] and [step["status"] for step in ledger["steps"]] == ["done"] * 4
    for step, body in zip(ledger["steps"], bodies.values(), strict=True):
        assert await store.read(ledger["case"], step["artifacts"][0]) == body
        assert step["outcome"].replace("�", "").replace(" ", "").startswith("Record101000001isfixed")
    for text in (json.dumps([ledger, ended["artifacts"]], ensure_ascii=False), ended["answer"]):
        assert not re.search("[\x00\x1b\u200b\ud800]|\\\\u0000", text)
    assert "Straße, 道路" in ended["answer"]
    await store.aclose()


async def test_one_huge_line_and_many_tiny_ones_stay_inside_every_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    composed = answering.compose

    def spy(ledger: Any, findings: Any, missing: Any) -> str:
        shown[:] = [excerpt for finding in findings for excerpt in finding.excerpts]
        return composed(ledger, findings, missing)

    monkeypatch.setattr("agents.model.answer.compose", spy)
    model = Scripted(answer=route)
    bodies: dict[str, bytes | str] = {"potholes": LINE, "permits": LINES, "sanitation": f"- {LINE}", "housing": "- 101000004: small"}
    graph = build(model=model, store=MemoryStore(), specialists=four(storing(bodies)))
    ended = await graph.ainvoke({"goal": GOAL, "criteria": CRITERIA})
    assert ended["ledger"]["status"] == "done" and len(shown) == 4
    assert all("[cut: bytes 0 to " in text for text in shown[:3]) and "[cut" not in shown[3] and not any("�" in text for text in shown)
    assert sum(map(estimate, shown)) <= answering.EXCERPT_TOKENS and min(map(len, shown[:3])) > 1_000, "both are used"
    for messages in model.seen:
        size = sum(estimate(str(message.content)) for message in messages)
        assert size <= (1_500 if "choose who works next" in str(messages[0].content) else answering.EXCERPT_TOKENS + 6_000)
    assert len(ended["answer"]) < 5_000 and len(json.dumps(ended["ledger"])) < 40_000


async def test_hundreds_of_artifacts_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    async def work(task: Task) -> Return:
        handles = [await task.put(f"- 10100{task.step:04d}: {n} {LINES}", kind="note", description=f"part {n}") for n in range(8)]
        return task.returned("done", f"eight parts in step {task.step}", f"The parts of {task.ask} are stored.", Count(count=8), handles)

    def spy(ledger: Any, findings: Any, missing: Any) -> str:
        shown[:] = [excerpt for finding in findings for excerpt in finding.excerpts]
        return ""

    monkeypatch.setattr(answering, "compose", spy)
    monkeypatch.setattr("graph.desk.Desk.is_offline", lambda self, context: True)
    replies = parts(12)
    await run(MemoryStore(), router=lambda system, user: replies.pop(0) if len(replies) > 1 else replies[0], specialists=four(work))
    assert 50 <= len(shown) <= answering.EXCERPT_TOKENS // answering.LEAST_EXCERPT
    assert sum(map(estimate, shown)) <= answering.EXCERPT_TOKENS


def parts(count: int) -> list[str]:
    names = ("potholes", "permits", "sanitation", "housing")
    return [*(dispatch((names[n % 4], f"c{n % 4 + 1}: part {n} of the street")) for n in range(count)), finish()]


async def test_a_specialist_reads_all_of_a_body_in_parts_that_join_without_loss() -> None:
    store = MemoryStore()
    task = Task(specialist=four()[0], case="c", step=1, ask="a", goal="g", store=store, home=Path(), today=None)  # type: ignore[arg-type]
    for n, body in enumerate((LINE, LINES[:20_000], "𝄞" * 3_000), 1):
        alias = (await task.put(body, kind="note", description="note")).alias
        at, read, parts = 0, "", 0
        while parts < 400:
            text = await task.text(alias, at)
            assert estimate(text) <= 1_500 and len(text.encode()) <= 6_000
            found = re.search(r"\n\[cut: bytes \d+ to (\d+) of \d+, continue at (\d+)\]$", text)
            read, parts = read + (text[: found.start()] if found else text), parts + 1
            if not found:
                break
            at = int(found.group(2))
        assert read == body, f"body {n}"
