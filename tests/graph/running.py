"""Runs of the whole graph with scripted routers, and what must hold after each of them."""

import json
from collections.abc import Sequence
from typing import Any

from agents.specialist import Specialist
from contracts import merge_handles
from graph.archives import load_archives
from graph.workflow import build
from ledger import Limits, checked, rebuild
from ledger.replay import rebuild_all
from store.opening import open_store
from store.protocol import ArtifactStore
from tests.scripted import Scripted, four

JSON = dict[str, Any]


class Ran:
    """One desk and its last result."""

    def __init__(
        self,
        *replies: Any,
        specialists: Sequence[Specialist] | None = None,
        store: ArtifactStore | None = None,
        checkpointer: Any = None,
        router: Scripted | None = None,
        thread: str = "t",
        **limits: Any,
    ) -> None:
        self.router = router or Scripted(*replies)
        self.store = store or open_store("memory:")
        self.graph = build(
            model=self.router,
            store=self.store,
            specialists=specialists or four(),
            checkpointer=checkpointer,
            limits=Limits(**limits),
        )
        self.thread = thread
        self.config: Any = {"configurable": {"thread_id": thread}}
        self.result: JSON = {}

    async def go(self, given: Any = None, *, config: Any = None, **options: Any) -> JSON:
        """Run, and check everything that holds after any run."""
        sent = given if given is not None else {"goal": "rats and a pothole at 5 Elm St", "criteria": ["one thing", "another thing"]}
        self.result = await self.graph.ainvoke(sent, {**self.config, **(config or {})}, **options)
        await assert_replays(self.result, self.store)
        return self.result

    @property
    def ledger(self) -> JSON:
        ledger: JSON = self.result["ledger"]
        return ledger

    def statuses(self) -> list[str]:
        return [step["status"] for step in self.ledger["steps"]]

    def criteria(self) -> dict[str, str]:
        return {item["id"]: item["status"] for item in self.ledger["criteria"]}


async def assert_replays(result: JSON, store: ArtifactStore) -> None:
    """Every decision's prompt comes back byte for byte from what was recorded, after a round trip through a file's JSON too."""
    ledger, artifacts = json.loads(json.dumps([checked(result["ledger"]), result["artifacts"]]))
    archives, broken = await load_archives(store, ledger)
    assert not broken, broken
    archives = json.loads(json.dumps(archives))
    built = list(rebuild_all(ledger, artifacts, archives))
    assert [item.n for item in built] == list(range(1, ledger["counts"]["decisions"] + 1))
    assert all(item.same for item in built), [item.n for item in built if not item.same]
    if built:
        assert rebuild(ledger, artifacts, built[-1].n, archives).same
    assert merge_handles({}, artifacts) == artifacts
