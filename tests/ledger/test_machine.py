"""A machine that plays any case: whatever comes in whatever order, the laws hold after every event, and every decision replays."""

import json
import unicodedata
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from contracts import merge_handles
from ledger import Answered, Asked, Returned, at, bound, checked, fold, render
from ledger.render import system_bytes, system_tokens
from tests.ledger.junk import JSONS
from tests.ledger.play import CASE, NAMES, REGISTRY, Play, handle, result, setup_of

ASKS = st.builds(lambda n, name: f"{name}: look at {n} Elm St", st.integers(1, 9), st.sampled_from(["c1", "c2", "c1 c2", "it", "C3"]))
WORK = st.lists(st.tuples(st.sampled_from(NAMES), ASKS), min_size=1, max_size=4)
# Each of three bytes and two or more tokens: the costliest that a cap lets through.
SCRIPTS = ("a ", "Zz9 ", "ठ", "敬", "\u0416\u0449", "🏚", "'; ", "é")


class Case(RuleBasedStateMachine):
    """Drives a Play with random moves, valid and not."""

    def __init__(self) -> None:
        super().__init__()
        self.play = Play()

    @initialize(criteria=st.integers(1, 12), budget=st.sampled_from([1500, 1520, 1700, 4000]), goal=st.text(min_size=1, max_size=300))
    def open(self, criteria: int, budget: int, goal: str) -> None:
        self.play = Play(
            *(f"criterion {n}" for n in range(1, criteria + 1)), goal=goal.replace("\0", " ") or "x", budget=budget, max_hops=1000, patience=16
        )
        lines = setup_of().roster
        limits = setup_of(budget=budget).limits
        self.bound = bound(system_tokens(lines, setup_of().rules), NAMES, limits, system_bytes(lines, setup_of().rules))

    def pending(self) -> list[dict[str, Any]]:
        return [step for step in self.play.ledger["steps"] if step["status"] == "pending"]

    @precondition(lambda self: not self.pending())
    @rule(work=WORK, handed=st.booleans())
    def dispatch(self, work: list[tuple[str, str]], handed: bool) -> None:
        shown = sorted(self.play.artifacts)[-1:] if handed else []
        self.play.dispatch(*((name, ask, shown) for name, ask in work))

    @precondition(lambda self: self.pending())
    @rule(data=st.data(), status=st.sampled_from(["done", "partial", "blocked", "failed"]), asks=st.integers(1, 3), script=st.sampled_from(SCRIPTS))
    def give(self, data: st.DataObject, status: str, asks: int, script: str) -> None:
        step = data.draw(st.sampled_from(self.pending()))
        questions = [{"text": f"{n} {script * 3}", "to": "resident"} for n in range(asks)] if status == "blocked" else []
        said = {"headline": (script * 9)[:30], "outcome": f"{script * 12} number {step['n'] % 3}", "questions": questions}
        self.play.give(step["n"], status, **said)

    @precondition(lambda self: self.pending())
    @rule(data=st.data(), junk=JSONS)
    def give_junk(self, data: st.DataObject, junk: Any) -> None:
        step = data.draw(st.sampled_from(self.pending()))
        key = data.draw(st.sampled_from(sorted(result(step))))
        event = {"type": "returned", "case": CASE, "step": step["n"], "specialist": step["specialist"], "result": {**result(step), key: junk}}
        self.play.ledger = fold(self.play.ledger, event, REGISTRY)

    @precondition(lambda self: self.pending())
    @rule(data=st.data())
    def fail(self, data: st.DataObject) -> None:
        self.play.fail(data.draw(st.sampled_from(self.pending()))["n"])

    @precondition(lambda self: not self.pending() and any(item["status"] == "open" for item in self.play.ledger["questions"]))
    @rule(text=st.sampled_from(["flat 2", "", "दो " * 9]))
    def ask(self, text: str) -> None:
        self.play.ask(text)

    @rule(junk=JSONS)
    def fold_junk(self, junk: Any) -> None:
        self.play.ledger = fold(self.play.ledger, junk, REGISTRY)

    @rule(data=st.data())
    def say_again(self, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from(self.play.events))
        assert fold(self.play.ledger, event, REGISTRY) is self.play.ledger

    @rule(n=st.integers(1, 40), name=st.sampled_from(NAMES))
    def claim(self, n: int, name: str) -> None:
        """Say things that nobody was asked for."""
        step = {item["n"]: item for item in self.play.ledger["steps"]}.get(n)
        if step is None or step["specialist"] != name:
            before = {key: self.play.ledger[key] for key in ("steps", "criteria", "questions", "counts")}
            self.play.ledger = fold(
                self.play.ledger,
                [
                    e.model_dump(mode="json")
                    for e in (
                        Returned(case=CASE, step=n, specialist=name, result=result(n, settles=["c1"])),
                        Asked(case=CASE, questions=(f"q{n}.9",)),
                        Answered(case=CASE, question=f"q{n}.9", text="yes"),
                    )
                ],
                REGISTRY,
            )
            assert before == {key: self.play.ledger[key] for key in before}

    @invariant()
    def holds(self) -> None:
        ledger = self.play.ledger
        assert checked(ledger) is ledger and checked(json.loads(json.dumps(ledger, sort_keys=True))) == ledger
        assert sum(item["status"] == "open" for item in ledger["questions"]) <= 12
        first = ledger["archive"][-1]["upto_step"] if ledger["archive"] else 0
        assert [step["n"] for step in ledger["steps"]] == list(range(first + 1, ledger["counts"]["steps"] + 1))
        assert len(ledger["rejected"]) <= 20 and len(ledger["conflicts"]) <= 20
        for item in ledger["criteria"]:
            assert (item["status"] == "met") == bool(item["settled_by"]) and (item["status"] != "met" or item["evidence"])
            assert item["status"] != "unsettled" or item["tried"]
        self.fits()

    def fits(self) -> None:
        """The next prompt keeps to the bound in tokens and bytes, on lines that the ledger alone may begin."""
        if self.pending():
            return
        self.play.compact()
        prompt = render(self.play.ledger, self.play.artifacts)
        steps = len(self.play.ledger["steps"])
        assert prompt.tokens <= self.bound.at(steps) <= self.bound.budget, (prompt.tokens, self.bound.at(steps))
        assert len((prompt.system + prompt.user).encode()) <= self.bound.bytes_at(steps)
        heads = ("GOAL ", "CRITERIA", "c1", "STEPS", *NAMES, "NOW ", "QUESTIONS", "ANSWERS", "LATEST", "REFUSED ", "LEFT ", "q", "c", *"123456789")
        assert all(
            line.startswith(heads) and not any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in line) for line in prompt.user.split("\n")
        ), prompt.user

    def teardown(self) -> None:
        self.play.assert_replays()
        last = self.play.ledger["counts"]["decisions"] + 1
        state, _ = at(self.play.ledger, self.play.artifacts, last, self.play.archives)
        apart = ("rejected", "conflicts", "digest", "steps")
        assert {key: value for key, value in state.items() if key not in apart} == {
            key: value for key, value in self.play.ledger.items() if key not in apart
        }


TestCase = Case.TestCase


def test_the_index_keeps_the_first_handle_and_takes_no_other_value() -> None:
    first, second = handle("A1", "first"), handle("A1", "second")
    assert merge_handles({}, [{"A1": first}, {"A1": second}]) == {"A1": first}
    assert merge_handles({"A1": first}, [{"A1": None}, {"A1": second}]) == {"A1": second}
