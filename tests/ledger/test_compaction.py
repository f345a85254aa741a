"""Compaction loses nothing that the router, the guard or replay needs, and keeps prompt and state small however long the case."""

import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import LedgerError
from ledger import Answered, Compacted, NewCriterion, at, compact, fold, plain, rebuild, render
from ledger.alarms import alarms
from ledger.compact import MAX_SEEN
from ledger.events import MAX_OPEN_QUESTIONS
from ledger.figures import figures
from ledger.replay import whole
from ledger.seal import canonical, sealed
from ledger.share import CORRECTION
from tests.ledger.play import CASE, NAMES, REGISTRY, Play

JSON = dict[str, Any]
FACT = "permit ALT941 at 12 Elm St, 3 May 2024"
FACTS = "12 Elm St, permit ALT941, filed 3 May 2024, fee $1,250.00, 2 rats, flat 3B, case 101004113298, owner Ruiz"


def long_case(hops: int, budget: int = 1500, **limits: Any) -> Play:
    """Play hops that all bring something new."""
    play = Play(NewCriterion(text=FACT), "two", goal=FACTS, budget=budget, max_hops=100_000, **limits)
    for n in range(hops):
        name = NAMES[n % 4]
        assert play.dispatch((name, f"c2: look at number {n} Elm St")) == "ok"
        said = f"Permit ALT{n} of number {n} was found, with {n % 7} open matters that the owner must mend"
        play.give(status=("partial", "done", "failed")[n % 3] if n % 3 != 1 else "partial", headline=f"permit ALT{n} found", outcome=said)
    return play


def test_nothing_is_compacted_that_fits() -> None:
    play = long_case(3)
    assert compact(play.ledger, play.artifacts) is None


def test_a_prompt_that_fits_to_the_token_stays_and_no_more_goes_than_must() -> None:
    play = Play("one", "two", budget=100_000, stall=6)
    for n in range(20):
        play.work((NAMES[n % 4], f"c1: {n} Elm St"), status="partial", outcome=f"{n} was found")
    fits = render(play.ledger, play.artifacts).tokens + CORRECTION
    assert compact(play.ledger, play.artifacts, fits) is None
    for budget in (fits - 1, fits - 40):
        stretch = compact(play.ledger, play.artifacts, budget)
        assert stretch is not None and stretch.upto_step == 14, "the last six stay"
    least = compact(play.ledger, play.artifacts, 256)
    assert least is not None and least.upto_step == 19, "where nothing else helps, the last dispatch stays alone"
    event = plain(Compacted(case=CASE, upto_step=14, upto_decision=14, before=21, handle="L14"))
    six = render(fold(play.ledger, event, REGISTRY), play.artifacts).tokens + CORRECTION
    for budget, upto in ((six, 14), (six - 1, 19)):
        stretch = compact(play.ledger, play.artifacts, budget)
        assert stretch is not None and stretch.upto_step == upto, "six stay where they fit to the token"


def test_a_case_shorter_than_what_may_stay_gives_up_all_but_the_last_dispatch() -> None:
    play = Play("one", "two", budget=100_000, stall=6)
    assert compact(play.ledger, play.artifacts, 256) is None
    for n in range(1, 8):
        play.work((NAMES[n % 4], f"c1: {n} Elm St"), status="partial", outcome=f"{n} was found")
        stretch = compact(play.ledger, play.artifacts, 256)
        assert (stretch.upto_step if stretch else 0) == n - 1


def test_a_dispatch_that_the_cut_would_split_stays_and_no_other_with_it() -> None:
    play = Play("one", "two", budget=100_000, stall=4)
    single = [[("permits", f"c1: {n} Elm St")] for n in range(11)]
    for n, work in enumerate([*single[:9], [(name, "c2: look") for name in NAMES[:3]], *single[9:]]):
        play.work(*work, status="partial", outcome=f"{n} was found")
    stretch = compact(play.ledger, play.artifacts, render(play.ledger, play.artifacts).tokens + CORRECTION - 1)
    assert stretch is not None and stretch.upto_step == 9


def test_it_is_deterministic_and_done_once() -> None:
    play = Play("one", "two", budget=100_000)
    for n in range(12):
        play.work((NAMES[n % 4], f"c1: {n} Elm St"), status="partial", outcome=f"{n} was found")
    one, other = compact(play.ledger, play.artifacts, 600), compact(json.loads(json.dumps(play.ledger)), dict(reversed(play.artifacts.items())), 600)
    assert one == other and one is not None
    event = plain(Compacted(case=CASE, upto_step=one.upto_step, upto_decision=one.upto_decision, before=one.before, handle=one.stem))
    once = fold(play.ledger, event, REGISTRY)
    assert once["counts"]["compactions"] == 1 and fold(once, event, REGISTRY) is once
    assert compact(once, play.artifacts, 600) is None, "nothing is left to do"


@given(st.integers(50, 56), st.integers(1500, 1580), st.integers(2, 8))
def test_what_must_stay_stays_and_what_goes_can_be_rebuilt(hops: int, budget: int, stall: int) -> None:
    play = Play(NewCriterion(text=FACT), "two", goal=FACTS, budget=budget, stall=stall, max_hops=1000)
    for n in range(hops):
        play.dispatch(*((name, f"c2: look at number {n} Elm St") for name in NAMES[: 1 + n % 2]))
        play.give(status="partial", headline=f"permit ALT{n} found", outcome=f"Permit ALT{n} of number {n} was found in the files of the city")
        if n == 2:
            play.work(("housing", "c1: whose flat"), status="blocked")
    shown = play.prompts[-1].user.split("\n")
    assert f"GOAL {json.dumps(FACTS)}" in shown and f'c1 any "{FACT}"' in shown
    assert play.archives and all(prompt.tokens <= budget for prompt in play.prompts)
    assert play.ledger["goal"] == FACTS and [item["text"] for item in play.ledger["criteria"]] == [FACT, "two"]
    assert any(item["id"].startswith("q") and item["status"] == "open" for item in play.ledger["questions"]), "an open question outlives its step"
    history = whole(play.ledger, play.artifacts, play.archives)
    assert [step["n"] for step in history.steps] == list(range(1, play.ledger["counts"]["steps"] + 1))
    assert [item["n"] for item in history.decisions] == list(range(1, play.ledger["counts"]["decisions"] + 1))
    assert set(history.artifacts) == {f"A{step['n']}" for step in history.steps}, "no handle is lost"
    play.assert_replays()


def test_archives_are_chained_and_a_missing_one_is_named() -> None:
    play = long_case(250)
    chain, handle = [], play.ledger["archive"][-1]["handle"]
    while handle:
        chain.append(handle)
        handle = play.archives[handle]["previous"]
    assert sorted(chain) == sorted(play.archives) and len(chain) >= 3 and len(play.ledger["archive"]) == 1
    play.assert_replays()
    broken = {name: body for name, body in play.archives.items() if name != chain[1]}
    with pytest.raises(LedgerError, match=f"{chain[1]} is missing"):
        rebuild(play.ledger, play.artifacts, 1, broken)
    turned = {**play.archives, chain[-1]: play.archives[chain[-1]] | {"previous": chain[0]}}
    with pytest.raises(LedgerError, match="altered"):
        at(play.ledger, play.artifacts, 1, turned)


def test_summaries_add_up_and_are_never_summarised_again() -> None:
    play = long_case(200)
    gone = [step for body in play.archives.values() for step in body["steps"]]
    for line in play.ledger["summaries"]:
        mine = sorted((step for step in gone if step["specialist"] == line["specialist"]), key=lambda step: step["n"])
        counts = {status: sum(step["status"] == status for step in mine) for status in ("done", "partial", "blocked", "failed")}
        assert {key: line[key] for key in counts} == counts and line["steps"] == len(mine)
        assert line["headline"] == mine[-1]["headline"]
        assert line["failed_steps"] == [step["n"] for step in mine if step["status"] == "failed"][-2:]
    assert " failed " in render(play.ledger, play.artifacts).user


def test_an_open_question_whose_step_is_archived_can_still_lapse_and_be_answered() -> None:
    for text, status in (("", "unsettled"), ("flat 2", "open")):
        play = Play("one", "two", budget=1500, max_hops=1000)
        play.work(("housing", "c1: whose flat"), status="blocked")
        for n in range(60):
            play.work((NAMES[n % 4], f"c2: number {n} Elm St"), status="partial", outcome=f"Permit ALT{n} of number {n} was found")
        assert play.ledger["archive"] and play.ledger["steps"][0]["n"] > 1 and play.criterion("c1")["status"] == "open"
        play.ask(text)
        assert play.criterion("c1")["status"] == status
        shown = render(play.ledger, play.artifacts).user
        assert ('q1 "flat 2"' if text else "q1 lapsed: nobody answered") in shown
        if text:
            assert play.dispatch(("housing", "c1: whose flat")) == "ok" and play.ledger["decisions"][-1]["justified"] == "answered q1"
        play.assert_replays()


def test_closed_questions_leave_with_their_stretch_so_that_state_stays_bounded() -> None:
    play = Play("one", "two", budget=1500, max_hops=1000)
    for n in range(90):
        play.work((NAMES[n % 4], f"c1: number {n} Elm St"), status="blocked", outcome=f"Permit ALT{n} of number {n} was found")
        play.ask("yes")
    assert play.ledger["archive"] and len(play.ledger["questions"]) <= len(play.ledger["steps"]) + MAX_OPEN_QUESTIONS + 1
    play.assert_replays()


def test_the_last_twelve_closed_questions_of_a_stretch_stay_and_those_that_no_dispatch_has_read() -> None:
    play = Play("one", "two", budget=100_000, max_hops=1000)
    for n in range(1, 21):
        play.work((NAMES[n % 4], f"c1: number {n} Elm St"), status="blocked")
        play.fold(*(Answered(case=CASE, question=f"q{k}", text="yes") for k in ([n] if n < 20 else [5, 20]) if n != 5))
    play.compact(256)
    assert play.ledger["archive"][-1]["upto_step"] == 19
    assert [item["id"] for item in play.ledger["questions"]] == ["q5", *(f"q{n}" for n in range(8, 21))]


def test_of_the_handles_that_an_ask_was_given_the_newest_eight_are_remembered() -> None:
    play = Play("one", "two", budget=100_000, max_hops=1000)
    play.ledger = sealed({**play.ledger, "goal_handle": "G1"})
    assert play.work(("permits", "c1: look", ["G1"]), status="partial", outcome="the goal was read") == "ok"
    made = range(2, 20, 2)
    for n in made:
        play.work(("housing", f"c1: number {n} Elm St"), status="partial", outcome=f"{n} was found")
        assert play.work(("permits", "c1: look", [f"A{n}"]), status="partial", outcome=f"{n} was looked at") == "ok"
    play.work(("housing", "c1: end"), status="partial")
    play.compact(256)
    assert [handed for *_, handed in play.ledger["seen"].values() if handed] == [["G1", *(f"A{n}" for n in made[-8:])]]
    assert play.dispatch(("permits", "c1: look", ["G1"])) == "repeat"


def test_the_oldest_asks_are_forgotten_first_also_when_a_store_has_sorted_the_keys() -> None:
    play = Play("one", "two", budget=100_000, max_hops=1000)
    play.work(*((name, "c1: begin") for name in NAMES), status="partial")
    for n in range(5, MAX_SEEN + 4):
        play.work((NAMES[n % 4], f"c2: number {n} Elm St"), status="partial", outcome=f"{n} was found")
        if n == 5:
            play.compact(256)
            play.ledger = json.loads(canonical(play.ledger))
    play.compact(256)
    assert sorted(item[0] for item in play.ledger["seen"].values()) == list(range(3, MAX_SEEN + 3))


@pytest.mark.parametrize(
    "spoil", [{"upto_step": 3}, {"upto_decision": 1}, {"before": 2}, {"upto_step": 12, "upto_decision": 12}, {"handle": "A3"}, {"upto_step": 99}]
)
def test_a_forged_compaction_is_refused(spoil: JSON) -> None:
    play = Play("one", "two", budget=100_000)
    play.work(("permits", "c1: a"), ("housing", "c1: b"), status="partial")
    for n in range(2, 12):
        play.work((NAMES[n % 4], f"c1: {n} Elm St"), status="partial", outcome=f"{n} was found")
    good = plain(Compacted(case=CASE, upto_step=6, upto_decision=5, before=play.ledger["counts"]["decisions"] + 1, handle="L6"))
    assert fold(play.ledger, good, REGISTRY)["archive"]
    bad = fold(play.ledger, good | spoil, REGISTRY)
    assert not bad["archive"] and bad["rejected"]
    split = fold(play.ledger, good | {"upto_step": 1, "upto_decision": 1, "handle": "L1"}, REGISTRY)
    assert not split["archive"], "one sibling cannot go without the other"


def run_long(hops: int) -> None:
    play = long_case(0)
    sizes = []
    for n in range(hops):
        play.work(
            (NAMES[n % 4], f"c2: look at number {n} Elm St"),
            status="partial",
            headline=f"permit ALT{n} found",
            outcome=f"Permit ALT{n} of {n} was found",
        )
        assert play.prompts[-1].tokens <= 1500 and len(play.prompts) == n + 1
        sizes.append(len(canonical(play.ledger)) + len(canonical(play.artifacts)))
        play.events.clear()
    assert not play.ledger["rejected"] and play.ledger["counts"]["steps"] == hops and len(play.ledger["seen"]) <= 128
    assert max(sizes[-100:]) <= 1.1 * max(sizes[hops // 2 : hops // 2 + 100]), "state does not grow with the case"
    for k in range(1, hops + 1, max(1, hops // 40)):
        assert rebuild(play.ledger, play.artifacts, k, play.archives).same


def test_five_hundred_steps_stay_within_the_budget() -> None:
    run_long(500)


@pytest.mark.slow
def test_ten_thousand_steps_stay_within_the_budget() -> None:
    run_long(int(os.environ.get("STEPS", "10000")))


# --- the two warnings


def report(play: Play) -> Any:
    return figures(play.ledger, play.artifacts, play.archives)


def test_compaction_every_few_turns_names_the_loosest_contract_with_figures() -> None:
    play = Play(*(f"what became of permit number {n} of the street" for n in range(12)), goal=FACTS * 2, budget=1350, max_hops=1000)
    for n in range(24):
        work = [(name, f"c2: number {n} of the street") for name in NAMES]
        play.dispatch(*work)
        for step in [step for step in play.ledger["steps"] if step["status"] == "pending"]:
            long = "open matter " * (30 if step["specialist"] == "housing" else 4)
            play.give(
                step["n"], "partial", headline=f"number {step['n']} has many an open matter that nobody has looked at", outcome=f"{step['n']} {long}"
            )
    found = {alarm.code: alarm for alarm in alarms(report(play))}
    assert "compaction_often" in found
    assert found["compaction_often"].specialist == "housing" and "tokens per return" in found["compaction_often"].message


def test_a_contract_that_speaks_to_the_resident_is_named() -> None:
    play = Play()
    play.work(("permits", "c1: look"), outcome="Dear Ms Ruiz, your permit was granted and you can start to build")
    play.work(("housing", "c2: look"), outcome="Permit ALT941 was granted on 3 May 2024 for the rear deck")
    assert [alarm.specialist for alarm in alarms(report(play)) if alarm.code == "addressed_resident"] == ["permits"]


def test_there_is_nothing_to_rebuild_outside_the_case() -> None:
    play = long_case(3)
    assert at(play.ledger, play.artifacts, 4)[0]["counts"] == play.ledger["counts"], "one past the last is the ledger as it stands"
    for k, told in ((0, "there is no decision 0: the case has 3"), (5, "no decision 5"), (4, "not made yet"), (-1, "no decision")):
        with pytest.raises(LedgerError, match=told):
            rebuild(play.ledger, play.artifacts, k)
