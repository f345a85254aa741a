"""Every verdict of the guard, and what it lets through."""

import ast
import inspect
from typing import Any

import pytest

from contracts import registry_of
from contracts.decision import Decision
from contracts.registry import Contract
from ledger import Answered, Decided, NewCriterion, Returned, Spent, difficulty, guard, judge, over_budget
from ledger.guard import legal_moves
from ledger.report import REFUSED_REPEATS
from ledger.verdict import REFUSALS
from tests.ledger.play import AT, CASE, NAMES, Play, Report

JSON = dict[str, Any]


def code(play: Play, action: str = "dispatch", *work: tuple[Any, ...], waived: tuple[str, ...] = ()) -> str:
    """Return the verdict on a decision that is not carried out."""
    sent = [{"specialist": item[0], "ask": item[1], "handles": item[2] if len(item) > 2 else []} for item in work]
    return judge(play.ledger, Decision(reason="", action=action, dispatch=sent, out_of_scope=waived)).code


def test_a_dispatch_to_somebody_new_is_legal() -> None:
    play = Play()
    assert code(play, "dispatch", ("permits", "c1: look"), ("housing", "c2: look")) == "ok"


@pytest.mark.parametrize(
    "name",
    ["parks", "Permits", "permit", "permits ", "perm\u0456ts", "permits\u200b", "\u202epermits", "", "supervisor", "answer", "permits, housing"],
)
def test_a_name_that_is_not_in_the_roster_is_unknown_however_near_it_comes(name: str) -> None:
    assert code(Play(), "dispatch", (name, "c1: look")) == "unknown_specialist"


def test_one_unknown_name_holds_up_the_whole_fan_out() -> None:
    assert code(Play(), "dispatch", ("permits", "c1: look"), ("parks", "c2: look")) == "unknown_specialist"


def test_handles_must_be_of_this_case() -> None:
    play = Play()
    play.work(("permits", "c1: look"), status="partial")
    assert code(play, "dispatch", ("housing", "c1: read", ["A1"])) == "ok"
    assert code(play, "dispatch", ("housing", "c1: read", ["A1", "A9"])) == "unknown_handle"
    assert code(play, "dispatch", ("housing", "c1: read", ["L1"])) == "unknown_handle"


def test_empty_and_crowded_dispatches() -> None:
    play = Play(max_parallel=2)
    assert code(play, "dispatch") == "empty_dispatch"
    assert code(play, "dispatch", *((name, "c1: look") for name in NAMES[:3])) == "too_many"
    assert code(play, "dispatch", ("permits", "c1: look"), ("permits", "C1 - look!"), ("housing", "c1: look")) == "ok", "the same twice counts once"


@pytest.mark.parametrize(
    ("action", "work", "waived"),
    [("finish", ("permits", "c1: x"), ()), ("ask", ("permits", "c1: x"), ()), ("dispatch", ("permits", "c1: x"), ("c2",))],
)
def test_a_decision_that_says_two_things_is_a_contradiction(action: str, work: tuple[str, str], waived: tuple[str, ...]) -> None:
    assert code(Play(), action, work, waived=waived) == "contradiction"


def test_asking_needs_an_open_question() -> None:
    play = Play()
    assert code(play, "ask") == "nothing_to_ask"
    play.work(("permits", "c1: look"), status="blocked")
    assert code(play, "ask") == "ok"
    play.ask()
    assert code(play, "ask") == "nothing_to_ask"


# --- repeats


@pytest.mark.parametrize("again", ["c1: look at 5 Elm St", "C1  look at 5 ELM st.", "c1 look, at 5 elm st!"])
def test_the_same_ask_again_is_a_repeat_whatever_its_spelling(again: str) -> None:
    play = Play()
    play.work(("permits", "c1: look at 5 Elm St"), status="partial")
    assert code(play, "dispatch", ("permits", again)) == "repeat"
    assert code(play, "dispatch", ("housing", again)) == "ok", "somebody else may look"


SAME_ASKS = [
    ("c1: Rats at 5 Elm St", "\uff43\uff11\uff1a\u3000\uff32\uff21\uff34\uff33 at \uff15 Elm St"),
    ("c1: Rats at 5 Elm St", "c1: R\u200ba\u200dt\u2060s at 5 \u00adElm St"),
    ("c1: caf\u00e9 at 5 Elm Stra\u00dfe", "c1: CAFE\u0301 at 5 ELM STRASSE"),
    ("c1: o\ufb03ce of 5 Elm St", "c1: office of 5 Elm St"),
    ("c1: Rats at 5 Elm St", "\u2014 c1 \u2014 \u201crats\u201d \u2026 at (5) #Elm St!!"),
    ("c1, c2: rats", "c2, c1: rats"),
    ("c2 c1: rats", "rats c1 c2"),
    ("c1: rats, 2026-05-01T10:00:00Z", "c1: rats, 2026-05-02 11:30:59.125+02:00"),
    ("c1: rats (asked at 10:15)", "c1: rats (asked at 9:45)"),
    ("c1: rats as of 2026-05-01", "c1: rats as of 5/2/2026"),
    ("c1: rats [10:15:01]", "c1: rats [22:15:59]"),
]


@pytest.mark.parametrize(("one", "other"), SAME_ASKS)
def test_the_same_ask_in_other_letters_order_or_minute_is_a_repeat(one: str, other: str) -> None:
    play = Play()
    assert play.work(("permits", one), status="partial") == "ok"
    assert code(play, "dispatch", ("permits", other)) == "repeat"
    assert code(Play(), "dispatch", *(("permits", ask) for ask in (one, other))) == "ok", "dispatched at once they are one"
    assert (
        len(
            judge(
                Play().ledger, Decision(reason="", action="dispatch", dispatch=[{"specialist": "permits", "ask": ask} for ask in (one, other)])
            ).dispatch
        )
        == 1
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("c1: inspections of 2026-05-01", "c1: inspections of 2026-05-02"),
        ("c1: noise at 22:00", "c1: noise at 23:00"),
        ("c1: record 1612345678", "c1: record 1612345679"),
        ("c1: 12 Elm St and 14 Oak St", "c1: 14 Elm St and 12 Oak St"),
        ("c1 not c2: rats", "c2 not c1: rats"),
        ("c1: rats", "c2: rats"),
        ("c1: \u0915\u093f\u0930\u093e\u092f\u093e", "c1: \u0915\u0930\u093e\u092f\u0940"),
        ("c1: \u8001\u9f20", "c1: \u5783\u573e"),
    ],
)
def test_asks_for_something_else_are_no_repeat(one: str, other: str) -> None:
    play = Play()
    assert play.work(("permits", one), status="partial", outcome="Nothing of that kind is on file") == "ok"
    assert code(play, "dispatch", ("permits", other)) == "ok"


def test_an_answer_to_its_own_question_justifies_a_repeat_once() -> None:
    play = Play()
    play.work(("permits", "c1: look"), ("housing", "c2: look"), status="blocked")
    play.ask("flat 2")
    assert play.dispatch(("permits", "c1: look")) == "ok"
    assert play.ledger["decisions"][-1]["justified"] == "answered q1"
    play.give(status="partial")
    assert code(play, "dispatch", ("permits", "c1: look")) == "repeat"


def test_a_lapsed_question_justifies_nothing() -> None:
    play = Play()
    play.work(("permits", "c1: look"), status="blocked")
    play.ask("")
    assert code(play, "dispatch", ("permits", "c1: look")) == "repeat"
    assert play.criterion("c1")["status"] == "unsettled"


def test_an_artifact_made_since_justifies_a_repeat_and_an_older_or_own_one_does_not() -> None:
    play = Play()
    for n in range(10):
        play.work(("housing", f"c2: number {n} of the street"), status="partial", outcome=f"{'abcdefghij'[n]} found")
    play.work(("permits", "c1: look"), status="partial")
    assert code(play, "dispatch", ("permits", "c1: look", ["A11"])) == "repeat", "its own"
    assert code(play, "dispatch", ("permits", "c1: look", ["A1"])) == "repeat", "was there before; and A1 is no part of A11"
    play.work(("housing", "c2: again"), status="partial", outcome="something else")
    assert play.dispatch(("permits", "c1: look", ["A12"])) == "ok"
    assert play.ledger["decisions"][-1]["justified"] == "new A12"
    play.give(status="partial")
    assert code(play, "dispatch", ("permits", "c1: look", ["A12"])) == "repeat"


def test_what_a_sibling_made_at_the_same_time_is_new_to_the_other() -> None:
    play = Play()
    play.work(("permits", "c1: look"), ("housing", "c2: look"), status="partial")
    assert code(play, "dispatch", ("permits", "c1: look", ["A2"])) == "ok"
    assert code(play, "dispatch", ("housing", "c2: look", ["A1"])) == "ok"


def test_a_failed_ask_may_be_tried_once_more_and_no_more() -> None:
    play = Play(retries=1)
    play.dispatch(("permits", "c1: look"))
    play.fail(1)
    assert play.dispatch(("permits", "c1: look")) == "ok"
    assert play.ledger["decisions"][-1]["justified"] == "retry of failed step 1"
    play.fail(2)
    assert code(play, "dispatch", ("permits", "c1: look")) == "repeat"


def test_repeats_and_retries_are_known_after_compaction_too() -> None:
    play = Play(retries=1)
    play.dispatch(("permits", "c1: look"))
    play.fail(1)
    play.work(("permits", "c1: look"), status="nonsense")
    play.work(("housing", "c1: read"), status="partial")
    play.work(("sanitation", "c2: look"))
    assert play.work(("housing", "c1: read", ["A4"]), status="partial") == "ok"
    for n in range(5, 12):
        play.work((NAMES[n % 4], f"c1: {n} Elm St"), status="partial", outcome=f"{'abcdefghijklm'[n]} was found")
    for _ in range(2):
        assert code(play, "dispatch", ("permits", "c1: look")) == "repeat"
        assert code(play, "dispatch", ("housing", "c1: read", ["A4"])) == "repeat"
        assert play.compact(budget=600) == 1 or play.ledger["steps"][0]["n"] > 4
    assert play.ledger["archive"]


# --- no progress


def test_a_reworded_ask_is_refused_when_the_last_two_said_the_same() -> None:
    play = Play()
    for wording in ("c1: look at it", "c1: please check it"):
        play.work(("permits", wording), status="partial", outcome="Nothing on file as of 2026-05-01T10:00:00Z, asked at 10:15")
    play.work(("housing", "c2: look"))
    again = Decision(reason="", action="dispatch", dispatch=[{"specialist": "permits", "ask": "c1: search once more"}])
    judged = judge(play.ledger, again)
    assert (judged.code, judged.detail) == ("no_progress", "permits said the same in steps 1 and 2")
    assert code(play, "dispatch", ("permits", "c2: search once more")) == "ok", "another criterion"
    assert code(play, "dispatch", ("housing", "c1: search once more")) == "ok", "another specialist"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("As of 2026-05-01 nothing is on file", "As of 2026-05-02 nothing is on file"),
        ("Checked 2026-05-01T10:00:00.123Z: none", "checked 2026-05-02T11:30:59+02:00: NONE"),
        ("Asked at 10:15: no permit", "Asked at 9:45 pm: no permit"),
        ("Asked on 1.5.2026: no permit", "Asked on 12/31/25: no permit"),
        ("Took 12 ms: no permit", "Took 3.5 s: no permit"),
        ("No permit on file", "\uff2e\uff4f per\u200dmit on\u200b file"),
        ("At 1777777777 no permit", "At 1777777999 no permit"),
    ],
)
def test_outcomes_that_differ_in_a_date_or_time_only_are_the_same(one: str, other: str) -> None:
    play = Play()
    play.work(("permits", "c1: look"), status="partial", outcome=one)
    play.work(("permits", "c1: look again"), status="partial", outcome=other)
    assert code(play, "dispatch", ("permits", "c1: and again")) == "no_progress"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("No permit on file for 12 Elm St", "No permit on file for 14 Elm St"),
        ("Record 101004113298 is open", "Record 101004113299 is open"),
        ("2 permits are open", "3 permits are open"),
        ("Inspection on 2026-05-01 passed", "Inspection on 2026-05-01 failed"),
    ],
)
def test_outcomes_that_differ_in_anything_else_are_progress(one: str, other: str) -> None:
    play = Play()
    play.work(("permits", "c1: look"), status="partial", outcome=one)
    play.work(("permits", "c1: look again"), status="partial", outcome=other)
    assert code(play, "dispatch", ("permits", "c1: and again")) == "ok"


@pytest.mark.parametrize("period", range(2, 7))
@pytest.mark.parametrize("compacted", [False, True])
def test_a_cycle_of_any_short_period_is_refused_when_it_would_go_on(period: int, compacted: bool) -> None:
    play = Play(stall=64)
    for turn in range(2 * period):
        said = f"{'abcdef'[turn % period]} is what was found at 10:{turn:02}"
        assert play.work(("permits", f"c1: turn {turn}"), status="partial", outcome=said) == "ok"
    if compacted:
        assert play.compact(budget=500)
    assert code(play, "dispatch", ("permits", "c1: one more")) == "cycle"
    assert code(play, "dispatch", ("housing", "c1: one more")) == "ok", "somebody else breaks it"


def test_a_stall_is_called_when_the_last_steps_all_said_what_was_known() -> None:
    play = Play(stall=3)
    for name in NAMES[:3]:
        play.work((name, "c1: look"), status="partial", outcome="nothing of that kind")
    for name in NAMES[:3]:
        assert code(play, "dispatch", ("sanitation", "c2: something else")) == "ok"
        play.work((name, "c1: look once more"), status="partial", outcome="nothing of that kind")
    assert code(play, "dispatch", ("sanitation", "c2: something else")) == "no_progress"


def test_a_question_is_progress() -> None:
    play = Play(stall=2)
    for name in NAMES[:2]:
        play.work((name, "c1: look"), status="partial", outcome="nothing of that kind")
    for name in NAMES[:2]:
        play.work((name, "c1: look again"), status="blocked", outcome="nothing of that kind")
    assert code(play, "dispatch", ("sanitation", "c2: go on")) == "ok"


# --- asks that name no criterion


def test_an_ask_must_choose_between_criteria_that_are_nobodys_own() -> None:
    play = Play("one", "two", NewCriterion(text="three", owners=("housing",)))
    assert code(play, "dispatch", ("permits", "look at 5 Elm St")) == "no_criterion"
    assert code(play, "dispatch", ("permits", "c1: look"), ("sanitation", "look")) == "no_criterion"
    assert code(play, "dispatch", ("housing", "look at 5 Elm St")) == "ok", "it has one of its own"
    judged = judge(play.ledger, Decision(reason="", action="dispatch", dispatch=[{"specialist": "permits", "ask": "look", "handles": []}]))
    assert judged.detail == "name in the ask which it is for: c1, c2"
    play.work(("permits", "c1: look"))
    assert play.work(("potholes", "look at 5 Elm St")) == "ok" and play.step(2)["criteria"] == ["c2"], "only one is left"
    assert code(play, "dispatch", ("permits", "look at 7 Elm St")) == "ok", "nothing is left that it could be taken for"


def test_the_reducer_takes_no_dispatch_that_leaves_its_criteria_open() -> None:
    play = Play("one", "two")
    play.decide("dispatch", ("permits", "look"), verdict="ok")
    assert not play.ledger["steps"] and play.ledger["rejected"][-1]["cause"] == "the guard says no_criterion"


# --- the end


def test_finish_waits_for_criteria_and_questions() -> None:
    play = Play()
    assert code(play, "finish") == "premature_finish"
    play.work(("permits", "c1: look"), ("housing", "c2: look"))
    assert code(play, "finish") == "ok"
    play.work(("potholes", "c1: look"), status="blocked")
    assert code(play, "finish") == "open_questions"


@pytest.mark.parametrize("status", ["partial", "failed", "nonsense"])
def test_a_criterion_that_was_tried_in_vain_is_unsettled_and_no_obstacle(status: str) -> None:
    play = Play("one")
    play.work(("permits", "c1: look"), status=status)
    assert (play.criterion("c1")["status"], play.criterion("c1")["step"]) == ("unsettled", 1)
    assert code(play, "finish") == "ok"


def test_only_an_untouched_criterion_that_is_for_nobody_is_out_of_scope() -> None:
    play = Play(
        NewCriterion(text="permits", owners=("permits",)),
        NewCriterion(text="a permit question", candidates=("permits",)),
        NewCriterion(text="parking"),
        NewCriterion(text="tried"),
    )
    play.work(("potholes", "c4: look"), status="partial")
    play.work(("permits", "c1: look"))
    assert code(play, "finish", waived=("c3",)) == "premature_finish", "c2 is open"
    assert code(play, "finish", waived=("c3", "c2")) == "not_out_of_scope"
    assert code(play, "finish", waived=("c3", "c4")) == "not_out_of_scope"
    assert code(play, "finish", waived=("c1",)) == "not_out_of_scope"
    assert code(play, "finish", waived=("c9",)) == "unknown_criterion"
    play.work(("permits", "c2: look"))
    assert play.decide("finish", waived=("c3",)) == "ok"
    assert (play.criterion("c3")["status"], play.criterion("c3")["reason"]) == ("out_of_scope", "because")


def test_what_was_worked_on_stays_in_scope_after_compaction() -> None:
    play = Play("one", "two")
    play.work(("permits", "c1: look"), status="blocked")
    play.ask("flat 2")
    for n in range(9):
        play.work((NAMES[n % 4], f"c2: {n} Elm St"), status="partial", outcome=f"{'abcdefghi'[n]} was found")
    assert play.compact(budget=600)
    assert play.criterion("c1")["status"] == "open" and code(play, "finish", waived=("c1",)) == "not_out_of_scope"


# --- budgets and edges


def test_budgets() -> None:
    play = Play("one", "two", max_hops=2, max_tokens=50, max_seconds=10)
    assert over_budget(play.ledger) == "" and over_budget(play.ledger, 9.9) == ""
    assert over_budget(play.ledger, 10) == "the time budget of 10 s is spent"
    play.work(("permits", "c1: look"))
    assert over_budget(play.ledger) == ""
    play.work(("housing", "c2: look"))
    assert over_budget(play.ledger) == "the hop budget of 2 is spent"
    assert play.decide("finish") == "ok", "finishing is no hop"


def test_the_reducer_takes_no_dispatch_beyond_the_hop_budget() -> None:
    play = Play("one", max_hops=1)
    play.work(("permits", "c1: look"), status="partial")
    play.dispatch(("housing", "c1: look"))
    assert play.ledger["counts"]["steps"] == 1 and play.ledger["rejected"][-1]["cause"] == "the hop budget is spent"


def test_refusals_in_a_row_spend_the_routers_patience() -> None:
    play = Play(patience=2)
    play.dispatch(("parks", "c1: look"))
    assert over_budget(play.ledger) == ""
    play.work(("permits", "c1: look"))
    play.dispatch(("parks", "c1: look"))
    play.decide("finish")
    assert over_budget(play.ledger) == "the router's last 2 decisions were refused: premature_finish"


EDGES = registry_of(
    (
        Contract(name="permits", description="permits", returns=Report, after=("start", "housing")),
        Contract(name="housing", description="housing", returns=Report, after=("permits",)),
        Contract(name="potholes", description="potholes", returns=Report),
        Contract(name="sanitation", description="sanitation", returns=Report, after=()),
    )
)


def test_an_allow_list_of_edges_says_who_may_follow_whom() -> None:
    play = Play(registry=EDGES)
    assert code(play, "dispatch", ("permits", "c1: look")) == "ok"
    assert code(play, "dispatch", ("housing", "c1: look")) == "not_allowed"
    assert code(play, "dispatch", ("sanitation", "c1: look")) == "not_allowed"
    assert legal_moves(play.ledger) == 2
    play.work(("potholes", "c2: look"), status="partial")
    assert code(play, "dispatch", ("permits", "c1: look")) == "not_allowed", "somebody has worked already"
    play = Play(registry=EDGES)
    play.work(("permits", "c1: look"), ("potholes", "c2: look"), status="partial")
    assert code(play, "dispatch", ("housing", "c1: look")) == "ok", "one of the last is enough"
    assert code(play, "dispatch", ("permits", "c1: other")) == "not_allowed"


def test_difficulty_counts_criteria_questions_and_moves() -> None:
    play = Play()
    assert difficulty(play.ledger) == 2 + 0 + 4
    play.work(("permits", "c1: look"), status="blocked")
    assert difficulty(play.ledger) == 2 + 1 + 5
    play.ask("")
    play.work(("housing", "c2: look"))
    assert difficulty(play.ledger) == 0 + 0 + 5


def test_an_answer_is_progress_for_whoever_asked() -> None:
    play = Play()
    for wording in ("c1: look", "c1: look again"):
        play.work(("permits", wording), status="blocked", outcome="The flat is not known")
    assert code(play, "dispatch", ("permits", "c1: search")) == "no_progress"
    play.fold(Answered(case=CASE, question="q1", text="flat 2"))
    assert code(play, "dispatch", ("permits", "c1: search")) == "no_progress", "the answer was to the step before"
    play.fold(Answered(case=CASE, question="q2", text="flat 2"))
    assert code(play, "dispatch", ("permits", "c1: search")) == "ok"


def test_a_long_cycle_is_left_to_the_budgets() -> None:
    play = Play(stall=64)
    for turn in range(14):
        assert play.work(("permits", f"c1: turn {turn}"), status="partial", outcome=f"{'abcdefg'[turn % 7]} is what was found") == "ok"
    assert code(play, "dispatch", ("permits", "c1: one more")) == "ok"


def test_tries_are_counted_on_over_compaction() -> None:
    play = Play(retries=2)
    play.dispatch(("permits", "c1: look"))
    play.fail(1)
    for n in range(6):
        play.work((NAMES[n % 4], f"c2: {n} Elm St"), status="partial", outcome=f"{'abcdef'[n]} was found")
    assert play.compact(budget=400) and play.ledger["steps"][0]["n"] > 1
    for tried in range(2):
        assert play.dispatch(("permits", "c1: look")) == "ok", tried
        play.fail(play.ledger["counts"]["steps"])
    assert code(play, "dispatch", ("permits", "c1: look")) == "repeat"


def test_what_router_and_specialists_use_adds_up_to_the_token_budget() -> None:
    play = Play(max_tokens=18)
    sent = ({"specialist": "permits", "ask": "c1: look"},)
    told = Decided(case=CASE, n=1, at=AT, action="dispatch", dispatch=sent, verdict="ok", prompt_sha256="0" * 64, tokens_in=9, tokens_out=4)
    play.fold(told)
    assert play.ledger["counts"]["tokens"] == 13 and over_budget(play.ledger) == ""
    play.fold(Returned(case=CASE, step=1, specialist="permits", cause="down", spent=Spent(tokens_in=2, tokens_out=3)))
    assert over_budget(play.ledger) == "the token budget of 18 is spent"


def test_every_code_of_a_refusal_is_listed_with_its_meaning() -> None:
    calls = [item for item in ast.walk(ast.parse(inspect.getsource(guard))) if isinstance(item, ast.Call) and ast.unparse(item.func) == "Verdict"]
    assert {ast.literal_eval(item.args[0]) for item in calls} == {"ok", *REFUSALS}
    assert set(REFUSED_REPEATS) < set(REFUSALS)
