"""A case that the offline router drives over the real ledger: open, decide, return, answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage

from agents.offline.routing import OfflineRouter
from contracts import Decision, Facts, Handle, Return, registry_of
from contracts.registry import Contract
from ledger import RULES, Answered, Asked, Decided, Limits, NewCriterion, Opened, Returned, RosterLine, Setup, fold, judge, plain, render
from ledger.verdict import Verdict

CASE = "case1"
NOW = "2026-05-01T08:00:00Z"


class Plain(Facts):
    """No facts."""


class Found(Return):
    """A return with no facts of its own."""

    facts: Plain


@dataclass(frozen=True)
class Desk:
    """One specialist as routing sees it."""

    name: str
    description: str
    examples: tuple[str, ...] = ()
    after: tuple[str, ...] | None = None


FOUR = (
    Desk("housing", "homes fit to live in: heat, pests, leaks, egress", ("no heat; mice in apartment; mold; rear exit blocked",)),
    Desk("permits", "is work or use allowed: building permits, zoning", ("no permit; construction at night; contractor; dumpster permit",)),
    Desk("potholes", "state of road, sidewalk, curb and drains", ("pothole; broken sidewalk; catch basin; clogged catch basin",)),
    Desk("sanitation", "trash, litter, dumping, rats outdoors", ("trash not picked up; rats in the yard; rats; illegal dumping",)),
)


@dataclass
class Casework:
    """One case; `replies` says how a specialist's work on a criterion ends: done, partial, blocked, failed."""

    goal: str
    criteria: Sequence[tuple[str, tuple[str, ...]]]
    desk: Sequence[Desk] = FOUR
    replies: Callable[[str, str, int], str] = lambda specialist, ask, step: "done"
    router: OfflineRouter | None = None
    limits: Limits = Limits(max_hops=100)
    ledger: dict[str, Any] = field(default_factory=dict)
    artifacts: dict[str, Any] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.router = self.router or OfflineRouter(specialists=tuple(self.desk))
        self.registry = registry_of(Contract(name=item.name, description=item.description, returns=Found, after=item.after) for item in self.desk)
        roster = tuple(RosterLine(name=item.name, description=item.description, after=item.after) for item in self.desk)
        criteria = tuple(NewCriterion(text=text, owners=owners) for text, owners in self.criteria)
        setup = Setup(roster=roster, limits=self.limits, rules=RULES)
        self.ledger = fold({}, plain(Opened(case=CASE, at=NOW, goal=self.goal, criteria=criteria, setup=setup)), self.registry)

    def decide(self) -> Decision:
        """Let the router decide from the rendered prompt alone, and record it with the guard's verdict."""
        prompt = render(self.ledger, self.artifacts)
        assert self.router is not None
        reply = self.router.invoke([SystemMessage(prompt.system), HumanMessage(prompt.user)])
        decision = Decision.model_validate_json(str(reply.text))
        verdict = judge(self.ledger, decision)
        self.decisions.append(decision)
        self.verdicts.append(verdict)
        event = Decided(
            case=CASE,
            n=len(self.decisions),
            at=NOW,
            action=decision.action,
            reason=decision.reason,
            dispatch=tuple(item.model_dump() for item in (verdict.dispatch or decision.dispatch)),
            out_of_scope=decision.out_of_scope,
            verdict=verdict.code,
            prompt_sha256=prompt.sha256,
        )
        self._fold(event)
        return decision

    def work(self) -> None:
        """Return for every pending step as `replies` says."""
        for step in [step for step in self.ledger["steps"] if step["status"] == "pending"]:
            self._return(step, self.replies(step["specialist"], step["ask"], step["n"]))

    def answer(self, text: str = "apartment 2") -> None:
        """Put all open questions and answer them; an empty text lets them lapse."""
        waiting = [item["id"] for item in self.ledger["questions"] if item["status"] == "open"]
        self._fold(Asked(case=CASE, questions=tuple(waiting)))
        for name in waiting:
            self._fold(Answered(case=CASE, question=name, text=text, lapsed=not text))

    def run(self, most: int = 60) -> list[Decision]:
        """Drive the case until the router finishes or a decision is refused."""
        for _ in range(most):
            decision = self.decide()
            if not self.verdicts[-1].ok or decision.action == "finish":
                return self.decisions
            if decision.action == "ask":
                self.answer()
            self.work()
        raise AssertionError("the router does not come to an end")

    def order(self) -> list[list[str]]:
        """Return who went when: one list of names per dispatch."""
        return [[item.specialist for item in decision.dispatch] for decision in self.decisions if decision.dispatch]

    def states(self) -> dict[str, str]:
        """Return the status of each criterion."""
        return {item["id"]: item["status"] for item in self.ledger["criteria"]}

    def _return(self, step: dict[str, Any], status: str) -> None:
        if status == "failed":
            self._fold(Returned(case=CASE, step=step["n"], specialist=step["specialist"], result=None, cause="records are down"))
            return
        alias = f"A{step['n']}"
        self.artifacts[alias] = Handle(
            alias=alias,
            case=CASE,
            digest=f"{step['n']:064x}",
            bytes=9,
            tokens=3,
            media_type="text/plain",
            kind="report",
            description=f"report {step['n']}",
            producer=step["specialist"],
        ).model_dump(mode="json")
        result = {
            "status": status,
            "headline": f"{step['specialist']} looked at matter {step['n']}",
            "outcome": f"Record number {step['n']} was found and read for {step['ask'][:40]}",
            "facts": {},
            "artifacts": [alias],
            "settles": step["criteria"] if status == "done" else [],
            "questions": [{"text": f"Which apartment is meant in step {step['n']}?", "to": "resident"}] if status == "blocked" else [],
        }
        self._fold(Returned(case=CASE, step=step["n"], specialist=step["specialist"], result=result))

    def _fold(self, event: Any) -> None:
        self.ledger = fold(self.ledger, plain(event), self.registry)
        assert not self.ledger["rejected"], self.ledger["rejected"]
