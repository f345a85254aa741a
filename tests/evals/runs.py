"""Labelled texts through the whole desk, with the router under evaluation and specialists that always find something."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from agents.offline.urgency import urgent
from contracts import registry_of
from graph.context import Context
from graph.desk import Desk
from graph.files import collect
from graph.settings import DeskSettings
from graph.workflow import workflow
from ledger import checked
from ledger.events import CRITERION
from ledger.replay import whole
from store import MemoryStore
from tests.evals.asking import Watched
from tests.evals.cases import STAND_INS, Case, Turn, bare, opened
from tests.evals.labels import Before, Item
from tests.evals.scoring import Scored, exact, jaccard, mean, summary

MAX_HOPS = 12
JSON = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Bench(Desk):
    """A desk whose only model is the endpoint under evaluation."""

    endpoint: Watched

    def router(self, context: Context) -> Watched:
        """Return the endpoint under evaluation."""
        return self.endpoint

    def specialist_model(self, context: Context) -> None:
        """Keep specialists without a model."""


@dataclass(frozen=True, slots=True)
class Run:
    """What the desk did with one text."""

    scored: Scored
    first: frozenset[str]
    """Whom the first decision that held sent to work."""
    legal: float
    """Share of decisions that the guard took at the first attempt."""
    done: bool
    """Whether the case ended by a finish, rather than by a budget or a refusal."""
    warned: bool
    """Whether the answer says whom to call."""

    @property
    def right(self) -> bool:
        """Whether the first choice is among whom the labels name, or nobody where they name nobody."""
        allowed = self.scored.gold | self.scored.acceptable_extra
        return self.first <= allowed and bool(self.first or not self.scored.gold)


async def run(router: Watched, item: Item, home: Path) -> Run:
    """Put one text to the desk; a follow-up comes as a new goal on the thread of the case that it refers to."""
    desk = Bench(
        specialists={one.name: one for one in STAND_INS},
        registry=registry_of(STAND_INS),
        given_limits=DeskSettings().limits(STAND_INS).model_copy(update={"max_hops": MAX_HOPS}),
        given_home=home,
        given_store=MemoryStore(),
        endpoint=router,
    )
    graph, config = workflow(desk).compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": item.id}, "recursion_limit": 100}
    if item.before is not None:
        case = _earlier(item.before)
        await graph.aupdate_state(config, {"ledger": list(case.events), "artifacts": case.artifacts}, as_node="answer")
    values = await graph.ainvoke({"goal": item.text}, config, context=Context(ask_people=False))
    ledger = checked(values["ledger"])
    file = await collect(desk.store, ledger, values["artifacts"])
    history = whole(file.ledger, file.artifacts, file.archives)
    held = [record for record in history.decisions if record["verdict"] == "ok"]
    went = tuple(frozenset(sent["specialist"] for sent in record["dispatch"]) for record in held if record["action"] == "dispatch")
    warning = urgent(item.text)
    return Run(
        scored=Scored(frozenset().union(*went), item.gold, item.acceptable_extra, item.order, went),
        first=frozenset(sent["specialist"] for sent in held[0]["dispatch"]) if held else frozenset(),
        legal=mean(record["verdicts"][0] == "ok" for record in history.decisions),
        done=ledger["status"] == "done",
        warned=warning is not None and warning in values["answer"],
    )


def scores(done: Sequence[tuple[Item, Run]]) -> JSON:
    """Return the scores of a set."""
    runs = [run for _, run in done]
    emergencies = [run.warned for item, run in done if item.emergency]
    others = [run.warned for item, run in done if not item.emergency]
    told: JSON = summary([run.scored for run in runs])
    told |= {
        "items": len(runs),
        "first": mean(run.right for run in runs),
        "emergencies": mean(emergencies) if emergencies else None,
        "false_alarms": mean(others),
        "legal": mean(run.legal for run in runs),
        "ended_by_itself": mean(run.done for run in runs),
    }
    told["kinds"] = {kind: _kind([run for item, run in done if item.kind == kind]) for kind in dict.fromkeys(item.kind for item, _ in done)}
    told["misses"] = {item.id: sorted(run.scored.consulted) for item, run in done if run.scored.credited != item.gold}
    return told


def _kind(runs: Sequence[Run]) -> JSON:
    return {
        "items": len(runs),
        "first": mean(run.right for run in runs),
        "exact": mean(exact(run.scored.consulted, run.scored.gold) for run in runs),
        "jaccard": mean(jaccard(run.scored.consulted, run.scored.gold) for run in runs),
    }


def _earlier(before: Before) -> Case:
    """Return the closed case that a follow-up comes after."""
    asked = bare(before.ask)
    said = f"{before.headline}; it stands on file for {asked}."
    return opened(asked, (CRITERION.cut(asked), (before.specialist,))).work(Turn(before.specialist, asked, before.headline, said)).closed()
