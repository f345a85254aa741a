"""A thousand hops: every prompt within the budget, every decision rebuilt, no growth of what a checkpoint holds."""

import re
from itertools import pairwise
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agents.model.calls import Cost
from agents.specialist import Task
from contracts import Return
from graph.archives import load_archives
from ledger import NewCriterion, rebuild
from ledger.figures import figures
from ledger.replay import rebuild_all
from tests.graph.running import Ran
from tests.scripted import Count, dispatch, finish, four, specialist
from tests.vocabularies import VOCABULARIES


def route(system: str, user: str) -> str:
    """Send somebody to the next house."""
    n = max(map(int, re.findall(r"^(\d+) \w+ done", user.split("STEPS\n")[1], re.M)), default=0) + 1
    return dispatch((("permits", "housing", "potholes", "sanitation")[n % 4], f"c2: look at number {n} Elm St"))


class Sizes(InMemorySaver):
    """A saver that notes how many bytes each checkpoint's channels take."""

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        values = checkpoint["channel_values"]
        sizes.append(sum(len(self.serde.dumps_typed(values[name])[1]) for name in ("ledger", "artifacts") if name in values))
        return super().put(config, checkpoint, metadata, new_versions)


sizes: list[int] = []


async def run(hops: int) -> tuple[Ran, list[int]]:
    sizes.clear()
    ran = Ran(checkpointer=Sizes(), max_hops=hops, budget=1500)
    ran.router.answer = route
    ran.result = await ran.graph.ainvoke({"goal": "rats at 5 Elm St", "criteria": ["one", "two"]}, {**ran.config, "recursion_limit": 10 * hops})
    archives, broken = await load_archives(ran.store, ran.ledger)
    assert not broken and ran.ledger["counts"]["steps"] == hops
    built = list(rebuild_all(ran.ledger, ran.result["artifacts"], archives))
    assert len(built) == hops and all(item.same for item in built)
    assert all(item.prompt.tokens <= 1500 for item in built)
    for k in range(1, hops + 1, max(1, hops // 25)):
        assert rebuild(ran.ledger, ran.result["artifacts"], k, archives).same
    for messages in ran.router.seen[:: max(1, hops // 100)]:
        assert all(len(vocabulary.encode_ordinary("".join(str(item.content) for item in messages))) <= 1500 for vocabulary in VOCABULARIES)
    report = figures(ran.ledger, ran.result["artifacts"], archives)
    assert len(report.decisions) == hops
    return ran, list(sizes)


async def test_a_hundred_and_fifty_hops() -> None:
    ran, _ = await run(150)
    assert ran.ledger["counts"]["compactions"] >= 2


@pytest.mark.slow
async def test_a_thousand_hops() -> None:
    ran, seen = await run(1000)
    # Three checkpoints a hop at most; what counts is the mean of what one holds, early and late.
    per_hop = len(seen) // 1000
    early, late = seen[100 * per_hop : 200 * per_hop], seen[-100 * per_hop :]
    assert abs(sum(late) / len(late) - sum(early) / len(early)) <= 0.1 * sum(early) / len(early), (sum(early) / len(early), sum(late) / len(late))


async def test_each_hop_adds_about_one_line_whatever_a_specialist_writes() -> None:
    async def bulky(task: Task) -> Return:
        handle = await task.put(f"row {task.step} of the list\n" * 8_000, kind="note", description=f"List of step {task.step}")
        return task.returned("done", f"List {task.step} read", f"List {task.step} has 8000 rows, {task.step} of them open.", Count(count=1), [handle])

    ran = Ran(specialists=four(bulky), max_hops=40)
    ran.router.answer = route
    await ran.go({"goal": "rats at 5 Elm St", "criteria": ["one", "two"]})
    sizes_in = [item["prompt_tokens"] for item in ran.ledger["decisions"]]
    assert len(sizes_in) == 40 or ran.ledger["archive"]
    assert max(later - earlier for earlier, later in pairwise(sizes_in[1:])) < 60 and max(sizes_in) <= 1500
    assert not any("of the list" in prompt for prompt in ran.router.prompts)


async def test_the_most_evidence_that_a_case_can_have_is_lost_and_none_of_it_goes_unsaid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve criteria, eight owners each, two artifacts from every owner for every criterion: 192 bodies that nobody can read any more."""
    names = tuple("abcdefgh")

    async def proposed(*given: Any) -> tuple[tuple[NewCriterion, ...], Cost]:
        return tuple(NewCriterion(text=f"matter {n}", owners=names, source="proposed") for n in range(1, 13)), Cost()

    async def two(task: Task) -> Return:
        found = [await task.put(f"body {part} of step {task.step}", kind="note", description=f"Part {part}") for part in "xy"]
        return task.returned("done", f"found {task.step}", f"Record {task.step} answers the ask.", Count(count=1), found)

    def by_turns(system: str, user: str) -> str:
        n = 12 - int(re.findall(r"LEFT (\d+) hops", user)[0]) + 1
        return dispatch(*((name, f"c{n}: look") for name in names)) if n <= 12 else finish()

    monkeypatch.setattr("graph.nodes.intake.propose_criteria", proposed)
    ran = Ran(specialists=[specialist(name, two) for name in names], checkpointer=InMemorySaver(), max_parallel=8, budget=6000, max_hops=12)
    ran.router.answer = by_turns
    seen = await ran.graph.ainvoke({"goal": "rats"}, ran.config, interrupt_before=["answer"])
    evidence = {alias for item in seen["ledger"]["criteria"] for alias in item["evidence"]}
    assert len(evidence) == 192 and {item["status"] for item in seen["ledger"]["criteria"]} == {"met"}
    for alias in evidence:
        await ran.store.delete(seen["ledger"]["case"], alias)
    ended = await ran.graph.ainvoke(None, ran.config)
    assert {(item["status"], item["reason"]) for item in ended["ledger"]["criteria"]} == {("unsettled", "its evidence could not be read any more")}
    assert ended["ledger"]["status"] == "stopped" and not any(item["evidence"] for item in ended["ledger"]["criteria"])
    told = ended["answer"].partition("Could not be read any more")[2]
    assert evidence <= set(re.findall(r"\bA\d+(?:\.\d+)?", told))
