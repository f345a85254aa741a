"""A case played event by event over the pure core, with every prompt kept, so that laws can be checked on the way."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from contracts import Facts, Handle, Return, merge_handles, registry_of
from contracts.decision import Decision, Dispatch
from contracts.registry import Contract
from ledger import (
    RULES,
    Answered,
    Asked,
    Compacted,
    Decided,
    Finished,
    Limits,
    NewCriterion,
    Opened,
    Prompt,
    Returned,
    RosterLine,
    Setup,
    compact,
    fold,
    judge,
    plain,
    rebuild,
    render,
)
from ledger.replay import rebuild_all

JSON = dict[str, Any]
CASE = "case1"
AT = "2026-05-01T08:00:00Z"
NAMES = ("housing", "permits", "potholes", "sanitation")


class Found(Facts):
    """Facts of the played specialists."""

    count: int = 0
    newest: str | None = Field(None, pattern=r"^[^\n]{0,64}$", max_length=64)


class Report(Return):
    """Contract of the played specialists."""

    facts: Found


REGISTRY = registry_of(Contract(name=name, description=f"everything about {name} in the city", returns=Report) for name in NAMES)


def setup_of(registry: Any = REGISTRY, **limits: Any) -> Setup:
    lines = tuple(RosterLine(name=item.name, description=item.description, after=item.after) for item in registry.values())
    return Setup(roster=lines, limits=Limits(**limits), rules=RULES)


def opened(
    criteria: Sequence[str | NewCriterion] = ("c one", "c two"), *, goal: str = "rats at 5 Elm St", registry: Any = REGISTRY, **limits: Any
) -> JSON:
    items = tuple(item if isinstance(item, NewCriterion) else NewCriterion(text=item) for item in criteria)
    return plain(Opened(case=CASE, at=AT, goal=goal, criteria=items, setup=setup_of(registry, **limits)))


def result(step: JSON | int, status: str = "done", **more: Any) -> JSON:
    """Return what a specialist hands back for a step; `done` settles the step's criteria with the step's own artifact."""
    n = step if isinstance(step, int) else step["n"]
    mine = [] if isinstance(step, int) else step["criteria"]
    base = {
        "status": status,
        "headline": f"headline of step {n}",
        "outcome": f"Step {n} found record number {n} in the files",
        "facts": {"count": n},
        "artifacts": [f"A{n}"],
        "settles": mine if status == "done" else [],
        "questions": [{"text": f"which flat in step {n}", "to": "resident"}] if status == "blocked" else [],
    }
    return base | more


def handle(alias: str, description: str = "a note", producer: str = "permits") -> JSON:
    made = Handle(
        alias=alias, case=CASE, digest="a" * 64, bytes=9, tokens=3, media_type="text/plain", kind="note", description=description, producer=producer
    )
    return made.model_dump(mode="json")


class Play:
    """One case."""

    def __init__(self, *criteria: str | NewCriterion, goal: str = "rats at 5 Elm St", registry: Any = REGISTRY, **limits: Any) -> None:
        self.registry = registry
        self.ledger: JSON = fold({}, opened(criteria or ("c one", "c two"), goal=goal, registry=registry, **limits), registry)
        self.artifacts: JSON = {}
        self.archives: dict[str, JSON] = {}
        self.prompts: list[Prompt] = []
        self.events: list[JSON] = [opened(criteria or ("c one", "c two"), goal=goal, registry=registry, **limits)]
        assert self.ledger, "the opening event was refused"

    def fold(self, *events: Any) -> None:
        told = [event if isinstance(event, dict) else plain(event) for event in events]
        self.events += told
        self.ledger = fold(self.ledger, told, self.registry)

    def compact(self, budget: int | None = None) -> int:
        """Compact until the prompt fits; return how often."""
        times = 0
        while stretch := compact(self.ledger, self.artifacts, budget):
            self.archives[stretch.stem] = json.loads(stretch.body)
            times += 1
            last = {"upto_step": stretch.upto_step, "upto_decision": stretch.upto_decision, "before": stretch.before}
            self.fold(Compacted(case=CASE, handle=stretch.stem, **last))
            self.artifacts = merge_handles(self.artifacts, dict.fromkeys(stretch.removed))
        return times

    def decide(self, action: str, *work: tuple[Any, ...], waived: Sequence[str] = (), verdict: str | None = None) -> str:
        """Record a decision with the guard's own verdict, and keep the prompt it was made from; return the verdict."""
        self.compact()
        prompt = render(self.ledger, self.artifacts)
        sent = tuple(Dispatch(specialist=item[0], ask=item[1], handles=tuple(item[2]) if len(item) > 2 else ()) for item in work)
        decision = Decision(reason="because", action=action, dispatch=sent, out_of_scope=tuple(waived))
        judged = judge(self.ledger, decision)
        self.prompts.append(prompt)
        self.fold(
            Decided(
                case=CASE,
                n=self.ledger["counts"]["decisions"] + 1,
                at=AT,
                action=action,
                reason="because",
                dispatch=tuple(item.model_dump() for item in (judged.dispatch or sent)),
                out_of_scope=tuple(waived),
                verdict=verdict or judged.code,
                justified=judged.justified,
                prompt_sha256=prompt.sha256,
                prompt_tokens=prompt.tokens,
            )
        )
        return judged.code

    def dispatch(self, *work: tuple[Any, ...]) -> str:
        return self.decide("dispatch", *work)

    def give(self, n: int | None = None, status: str = "done", **more: Any) -> None:
        """Let pending steps return: one of them, or all."""
        for step in [step for step in self.ledger["steps"] if step["status"] == "pending" and n in (None, step["n"])]:
            returns = result(step, status, **more)
            self.artifacts = merge_handles(self.artifacts, {alias: handle(alias) for alias in returns["artifacts"]})
            self.fold(Returned(case=CASE, step=step["n"], specialist=step["specialist"], result=returns))

    def fail(self, n: int, cause: str = "records are down") -> None:
        self.fold(Returned(case=CASE, step=n, specialist=self.step(n)["specialist"], cause=cause))

    def work(self, *work: tuple[Any, ...], status: str = "done", **more: Any) -> str:
        verdict = self.dispatch(*work)
        self.give(status=status, **more)
        return verdict

    def ask(self, text: str = "flat 2") -> str:
        """Put all open questions and answer them; an empty text lets them lapse."""
        verdict = self.decide("ask")
        waiting = [item["id"] for item in self.ledger["questions"] if item["status"] == "open"]
        self.fold(Asked(case=CASE, questions=tuple(waiting)), *(Answered(case=CASE, question=name, text=text, lapsed=not text) for name in waiting))
        return verdict

    def close(self, status: str = "done", **more: Any) -> None:
        self.fold(Finished(case=CASE, at=AT, status=status, **more))

    def step(self, n: int) -> JSON:
        return next(step for step in self.ledger["steps"] if step["n"] == n)

    def criterion(self, name: str) -> JSON:
        return next(item for item in self.ledger["criteria"] if item["id"] == name)

    def assert_replays(self) -> None:
        """Every decision's prompt comes back byte for byte."""
        decisions = self.ledger["counts"]["decisions"]
        for built, sent in zip(rebuild_all(self.ledger, self.artifacts, self.archives), self.prompts, strict=True):
            assert built.same and built.prompt == sent, f"decision {built.n}"
        for k in {1, decisions // 2, decisions} & set(range(1, decisions + 1)):
            assert rebuild(self.ledger, self.artifacts, k, self.archives).prompt == self.prompts[k - 1], f"decision {k}"
