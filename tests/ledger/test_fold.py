"""What each event does to a ledger, one by one, and what each misfit says."""

import itertools
from typing import Any

import pytest

from contracts import LedgerError
from ledger import Answered, Asked, Finished, NewCriterion, Returned, Stopped, checked, checked_handles, fold, plain
from ledger.criteria import with_step
from ledger.seal import MIGRATIONS, sealed
from tests.ledger.play import AT, CASE, NAMES, REGISTRY, Play, opened, result, setup_of

JSON = dict[str, Any]


def note(play: Play) -> tuple[str, str, str]:
    """Return the only fault on record."""
    [fault] = play.ledger["rejected"]
    return fault["specialist"], fault["field"], fault["cause"]


def test_an_opening_event_makes_the_whole_ledger() -> None:
    ledger = Play("one", "two", max_hops=7).ledger
    assert ledger["version"] == 1 and ledger["status"] == "open" and ledger["setup"]["limits"]["max_hops"] == 7
    assert [(item["id"], item["text"], item["status"]) for item in ledger["criteria"]] == [("c1", "one", "open"), ("c2", "two", "open")]
    assert ledger["counts"] == {"steps": 0, "decisions": 0, "hops": 0, "compactions": 0, "tokens": 0} and checked(ledger) is ledger


@pytest.mark.parametrize(
    ("spoil", "field"),
    [
        ({"version": 2}, "opened.version"),
        ({"criteria": []}, "opened.criteria"),
        ({"criteria": [{"text": "x"}] * 13}, "opened.criteria"),
        ({"criteria": [{"text": "x", "owners": ["parks"]}]}, "criteria.owners"),
        ({"criteria": [{"text": "x", "candidates": ["parks"]}]}, "criteria.owners"),
        ({"goal": ""}, "opened.goal"),
        ({"goal": "a\x00b"}, "opened.goal"),
        ({"at": "yesterday"}, "opened.at"),
        ({"follows": "case0"}, "follows"),
        ({"setup": setup_of().model_dump(mode="json") | {"roster": [{"name": "parks", "description": "parks"}]}}, "setup.roster"),
        ({"extra": 1}, "opened.unknown key"),
    ],
)
def test_an_opening_event_that_does_not_fit_opens_nothing(spoil: JSON, field: str) -> None:
    assert fold({}, opened() | spoil, REGISTRY) == {}
    play = Play()
    play.fold(opened() | {"case": "case2", "follows": CASE} | spoil)
    assert play.ledger["case"] == CASE and note(play)[1] == field


def test_nothing_happens_before_a_case_is_open() -> None:
    assert fold({}, plain(Stopped(case=CASE, reason="x")), REGISTRY) == {}
    assert fold(None, plain(Stopped(case=CASE, reason="x")), REGISTRY) == {}


def test_a_legal_dispatch_opens_steps_and_counts_one_hop() -> None:
    play = Play("one", "two")
    play.dispatch(("permits", "c1: look"), ("housing", "c2: look"))
    assert [(step["n"], step["decision"], step["specialist"], step["status"], step["criteria"]) for step in play.ledger["steps"]] == [
        (1, 1, "permits", "pending", ["c1"]),
        (2, 1, "housing", "pending", ["c2"]),
    ]
    assert (play.ledger["counts"]["hops"], play.ledger["counts"]["steps"], play.ledger["counts"]["decisions"]) == (1, 2, 1)
    assert [item["sent"] for item in play.ledger["criteria"]] == [1, 1]
    assert [item["step"] for item in play.ledger["decisions"][0]["dispatch"]] == [1, 2]


def test_a_refused_decision_is_recorded_and_moves_nothing() -> None:
    play = Play()
    play.dispatch(("parks", "c1: look"))
    assert play.ledger["counts"]["hops"] == 0 and not play.ledger["steps"] and play.ledger["decisions"][0]["verdict"] == "unknown_specialist"


def test_the_reducer_judges_again_what_calls_itself_legal() -> None:
    play = Play()
    play.decide("finish", verdict="ok")
    assert note(play) == ("", "verdict", "the guard says premature_finish") and not play.ledger["decisions"]
    twice = Play()
    twice.fold(decided(1, dispatch=[{"specialist": "permits", "ask": "c1: a"}, {"specialist": "permits", "ask": "C1 a"}]))
    assert note(twice)[2] == "the guard says ok" and not twice.ledger["decisions"], "the same work twice is not one decision's"


def decided(n: int, **more: Any) -> JSON:
    base = {"type": "decided", "case": CASE, "n": n, "at": AT, "action": "dispatch", "verdict": "ok", "prompt_sha256": "0" * 64}
    return base | more


def test_decisions_come_in_order_when_nothing_is_pending() -> None:
    play = Play()
    play.fold(decided(2, verdict="empty", action=None))
    assert note(play)[1:] == ("n", "decision 1 comes next")
    waiting = Play()
    waiting.dispatch(("permits", "c1: look"))
    waiting.fold(decided(2, verdict="empty", action=None))
    assert note(waiting)[1:] == ("n", "steps are still pending")
    actionless = Play()
    actionless.fold(decided(1, action=None))
    assert note(actionless)[1:] == ("action", "a decision that holds names an action")


def test_a_finish_marks_what_nobody_covers() -> None:
    play = Play("one", "two")
    play.work(("permits", "c1: look"))
    play.decide("finish", waived=("c2",))
    assert [item["status"] for item in play.ledger["criteria"]] == ["met", "out_of_scope"] and play.ledger["counts"]["hops"] == 1
    play.close()
    assert play.ledger["status"] == "done" and [item["status"] for item in play.ledger["criteria"]] == ["met", "out_of_scope"]


def test_a_return_fills_its_step() -> None:
    play = Play("one", "two")
    play.dispatch(("permits", "c1: look"))
    spent = {"tokens_in": 7, "tokens_out": 3, "tokens_source": "reported", "calls": 1, "ms": 5}
    play.fold({"type": "returned", "case": CASE, "step": 1, "specialist": "permits", "result": result(1, settles=["c1", "c2"]), "spent": spent})
    step = play.step(1)
    assert (step["status"], step["headline"], step["artifacts"], step["facts"]) == (
        "done",
        "headline of step 1",
        ["A1"],
        {"count": 1, "newest": None},
    )
    assert step["settles"] == ["c1"], "only what it was asked for"
    assert play.ledger["counts"]["tokens"] == 10 and play.criterion("c1")["evidence"] == ["A1"] and play.criterion("c2")["status"] == "open"


@pytest.mark.parametrize(
    ("spoil", "status", "cause"),
    [
        ({"result": None}, "failed", "returned nothing"),
        ({"result": None, "cause": "down"}, "failed", "down"),
        ({"result": 5}, "rejected", "return: Input should be a valid dictionary or instance of Report"),
        ({"result": result(1, artifacts=["A1", "A1"])}, "rejected", "artifacts: names an artifact twice"),
        ({"result": result(1, artifacts=["A2"])}, "rejected", "artifacts: is neither an artifact of this step nor one that was handed to it"),
        ({"result": result(1, artifacts=["G1"])}, "rejected", "artifacts: is neither an artifact of this step nor one that was handed to it"),
        ({"result": result(1, artifacts=["A1", "A1.2"], settles=["c1"])}, "done", ""),
        ({"result": result(1, facts={"count": 10**30})}, "rejected", "return: the contract's own check raised TypeError"),
    ],
)
def test_a_return_is_judged_by_its_contract(spoil: JSON, status: str, cause: str) -> None:
    play = Play()
    play.dispatch(("permits", "c1: look"))
    play.fold({"type": "returned", "case": CASE, "step": 1, "specialist": "permits"} | spoil)
    assert (play.step(1)["status"], play.step(1)["cause"]) == (status, cause)
    assert play.criterion("c1")["status"] == ("met" if status == "done" else "unsettled")


def test_handed_artifacts_may_be_named_and_are_no_evidence_of_the_step() -> None:
    play = Play()
    play.work(("permits", "c1: look"), status="partial")
    play.dispatch(("housing", "c2: read", ["A1"]))
    play.give(artifacts=["A1"])
    assert play.step(2)["status"] == "done" and play.criterion("c2")["evidence"] == [] and play.criterion("c2")["status"] == "unsettled"


@pytest.mark.parametrize(
    ("spoil", "noted"),
    [
        ({"step": 9}, ("permits", "step", "was never dispatched")),
        ({"specialist": "housing"}, ("housing", "specialist", "step 1 belongs to permits")),
        ({"specialist": "parks"}, ("", "specialist", "step 1 belongs to permits")),
        ({"case": "other"}, ("permits", "case", "belongs to another case")),
        ({"case": "other", "specialist": "parks"}, ("", "case", "belongs to another case")),
        ({"step": 0}, ("permits", "returned.step", "returned.step: Input should be greater than or equal to 1")),
    ],
)
def test_a_return_of_somebody_else_changes_nothing(spoil: JSON, noted: tuple[str, str, str]) -> None:
    play = Play()
    play.dispatch(("permits", "c1: look"))
    play.fold({"type": "returned", "case": CASE, "step": 1, "specialist": "permits", "result": result(1)} | spoil)
    assert note(play) == noted and play.step(1)["status"] == "pending"


def test_a_specialist_that_is_gone_from_the_registry_is_rejected_by_name() -> None:
    play = Play()
    play.dispatch(("permits", "c1: look"))
    fewer = {name: item for name, item in REGISTRY.items() if name != "permits"}
    left = fold(play.ledger, {"type": "returned", "case": CASE, "step": 1, "specialist": "permits", "result": result(1)}, fewer)
    assert (left["steps"][0]["status"], left["steps"][0]["cause"]) == ("rejected", "specialist: is not registered any more")
    other = Play()
    other.ledger = fold(other.ledger, decided(1, dispatch=[{"specialist": "permits", "ask": "c1: a"}]), fewer)
    assert note(other)[1:] == ("dispatch.specialist", "is not registered any more")


def test_questions_are_put_once_and_closed_by_id() -> None:
    play = Play()
    play.work(("permits", "c1: look"), status="blocked")
    assert play.ledger["questions"][0] | {"text": ""} == {
        "id": "q1", "step": 1, "specialist": "permits", "criteria": ["c1"], "text": "", "to": "resident", "status": "open", "answer": "",
        "handle": None, "decision": None, "after": None,
    }  # fmt: skip
    play.ask("flat 2")
    question = play.ledger["questions"][0]
    assert (question["status"], question["answer"], question["decision"], question["after"]) == ("answered", "flat 2", 2, 2)
    play.fold(Asked(case=CASE, questions=("q1",)))
    assert play.ledger["questions"][0] == question and not play.ledger["rejected"]
    play.fold(Asked(case=CASE, questions=("q7",)), Answered(case=CASE, question="q7", text="x"))
    assert [(item["field"], item["cause"]) for item in play.ledger["rejected"]] == [
        ("question", "was never opened"),
        ("questions", "was never opened"),
    ]
    play.fold(Answered(case=CASE, question="q1", text="flat 3"))
    assert play.ledger["conflicts"][0]["id"] == "case1/q1" and play.ledger["questions"][0] == question


def test_a_step_with_two_questions_is_tried_in_vain_only_when_both_lapse() -> None:
    for answers, status in ((("", ""), "unsettled"), (("flat", ""), "open"), (("", "flat"), "open")):
        play = Play()
        play.work(
            ("permits", "c1: look"),
            status="blocked",
            questions=[{"text": "Which flat?", "to": "resident"}, {"text": "Which door?", "to": "resident"}],
        )
        for name, text in zip(("q1", "q1.2"), answers, strict=True):
            play.fold(Answered(case=CASE, question=name, text=text, lapsed=not text))
        assert play.criterion("c1")["status"] == status, answers


def test_stopping_keeps_the_first_reason() -> None:
    play = Play()
    play.fold(Stopped(case=CASE, reason="enough"), Stopped(case=CASE, reason="enough"))
    assert play.ledger["reason"] == "enough" and not play.ledger["conflicts"]
    play.fold(Stopped(case=CASE, reason="other"))
    assert play.ledger["reason"] == "enough" and play.ledger["conflicts"][0]["id"] == "case1/stopped"


def test_closing_settles_what_is_left_by_code() -> None:
    play = Play("one", "two", "three", "four")
    play.work(("permits", "c1: look"), ("housing", "c2: look"))
    play.work(("potholes", "c3: look"), status="partial")
    play.dispatch(("sanitation", "c4: look"))
    play.close("done", answer="R1", missing=("A2",))
    ledger = play.ledger
    assert ledger["status"] == "stopped" and ledger["answer"] == "R1" and ledger["closed_at"] == AT
    assert [item["status"] for item in ledger["criteria"]] == ["met", "unsettled", "unsettled", "unsettled"]
    assert [item["reason"] for item in ledger["criteria"]] == [
        "",
        "its evidence could not be read any more",
        "",
        "the case was closed before it was settled",
    ]
    assert (play.step(4)["status"], play.step(4)["cause"]) == ("failed", "interrupted before it returned")


def test_a_case_with_all_tried_is_done_though_not_all_is_met() -> None:
    play = Play("one")
    play.work(("permits", "c1: look"), status="partial")
    play.close("done")
    assert play.ledger["status"] == "done" and play.ledger["criteria"][0]["status"] == "unsettled"


def test_evidence_is_four_handles_at_most_the_oldest_first() -> None:
    play = Play("one")
    for n in range(6):
        play.work((NAMES[n % 4], f"c1: {n} Elm St"), artifacts=[f"A{n + 1}"], outcome=f"{'abcdef'[n]} was found")
    assert play.criterion("c1")["evidence"] == ["A1", "A2", "A3", "A4"]


def owned(order: tuple[int, ...], artifacts: dict[int, list[str]]) -> Play:
    """Return a case whose one criterion three owners settled, their returns folded in this order."""
    play = Play(NewCriterion(text="one", owners=("permits", "housing", "potholes")))
    play.dispatch(("permits", "c1: look"), ("housing", "c1: look"), ("potholes", "c1: look"))
    for n in order:
        play.give(n, artifacts=artifacts[n])
    return play


def test_each_owner_keeps_its_first_two_handles_in_any_order() -> None:
    artifacts = {n: [f"A{n}", *(f"A{n}.{part}" for part in range(2, 6))] for n in (1, 2, 3)}
    played = [owned(order, artifacts).ledger["criteria"] for order in itertools.permutations((1, 2, 3))]
    assert all(criteria == played[0] for criteria in played)
    assert played[0][0]["evidence"] == ["A1", "A1.2", "A2", "A2.2", "A3", "A3.2"] and played[0][0]["status"] == "met"


@pytest.mark.parametrize(
    ("missing", "status", "left"),
    [
        (("A3",), "unsettled", ["housing", "permits"]),
        (("A1",), "met", ["housing", "permits", "potholes"]),
        (("A1", "A1.2"), "unsettled", ["housing", "potholes"]),
        (("A1", "A1.2", "A2", "A3"), "unsettled", []),
        ((), "met", ["housing", "permits", "potholes"]),
    ],
)
def test_an_owner_whose_evidence_is_lost_has_settled_nothing(missing: tuple[str, ...], status: str, left: list[str]) -> None:
    play = owned((1, 2, 3), {1: ["A1", "A1.2"], 2: ["A2"], 3: ["A3"]})
    play.close("done", missing=missing)
    item = play.criterion("c1")
    assert item["status"] == status and sorted(item["settled_by"]) == left
    assert item["evidence"] == [alias for alias in ("A1", "A1.2", "A2", "A3") if alias not in missing]
    assert item["reason"] == ("its evidence could not be read any more" if status == "unsettled" else "")
    assert play.ledger["status"] == ("stopped" if status == "unsettled" else "done")


@pytest.mark.parametrize("alias", ["G1", "E1", "R1", "L1"])
def test_what_no_specialist_found_is_no_evidence(alias: str) -> None:
    play = Play("one")
    play.work(("permits", "c1: look"))
    step = play.step(1)
    fresh = play.criterion("c1") | {"status": "open", "settled_by": {}, "evidence": [], "tried": {}}
    alone = with_step(fresh, step | {"artifacts": [alias]}, waiting=False)
    assert (alone["status"], alone["evidence"], alone["tried"]) == ("unsettled", [], {"*": 1})
    assert with_step(fresh, step | {"artifacts": [alias, "A1"]}, waiting=False)["evidence"] == ["A1"]


def test_an_owned_criterion_needs_each_of_its_owners() -> None:
    play = Play(NewCriterion(text="one", owners=("permits", "housing")), "two")
    play.work(("potholes", "c1: look"), status="partial")
    assert play.step(1)["criteria"] == [] and play.criterion("c2")["status"] == "open", "not its own, and it named no other"
    play.work(("permits", "c1: look"))
    assert play.criterion("c1")["status"] == "open" and play.criterion("c1")["settled_by"] == {"permits": ["A2"]}
    play.work(("housing", "look at it"))
    assert play.step(3)["criteria"] == ["c1"] and play.criterion("c1")["status"] == "met"
    play.work(("housing", "look at it again", ["A2"]), status="failed")
    assert play.criterion("c1")["status"] == "met", "what is settled stays settled"


def test_a_late_success_settles_what_was_unsettled() -> None:
    play = Play("one")
    play.work(("permits", "c1: look"), status="partial")
    assert play.criterion("c1")["status"] == "unsettled"
    play.work(("permits", "c1: look at the annex"))
    assert (play.criterion("c1")["status"], play.criterion("c1")["step"]) == ("met", None)


def test_faults_are_kept_twenty_at_most() -> None:
    play = Play()
    for n in range(30):
        play.fold({"type": "returned", "case": CASE, "step": n + 1, "specialist": NAMES[n % 4], "result": 1}, {"type": f"x{n}"}, {f"k{n}": 1})
        play.fold(Answered(case=CASE, question=f"q{n + 1}", text="x"), plain(Finished(case=f"c{n}", at=AT, status="done")))
    for n in range(30):
        play.dispatch(("parks", f"c1: {n}"))
    for n in range(1, 31):
        play.fold(decided(n, verdict="empty", action=None, reason="other"))
    assert len(play.ledger["rejected"]) <= 20 and len(play.ledger["conflicts"]) == 20


def test_an_altered_ledger_is_told_by_what_is_wrong() -> None:
    play = Play()
    play.work(("permits", "c1: look"))
    for altered in (
        {**play.ledger, "goal": "other"},
        {**play.ledger, "steps": [{**play.ledger["steps"][0], "headline": "other"}]},
        {**play.ledger, "decisions": []},
        {**play.ledger, "digest": "0" * 64},
        {**play.ledger, "goal_handle": float("nan")},
        {**play.ledger, "steps": [{**play.ledger["steps"][0], "facts": {"count": 1, "newest": float("inf")}}]},
    ):
        with pytest.raises(LedgerError, match="own digest"):
            checked(altered)
    for nothing in (None, {}, [], "ledger", 5):
        with pytest.raises(LedgerError, match="missing"):
            checked(nothing)
    with pytest.raises(LedgerError, match="no version"):
        checked({"goal": "x"})


def test_an_event_may_be_an_instance() -> None:
    play = Play()
    assert fold(play.ledger, Stopped(case=CASE, reason="enough"), REGISTRY) == fold(play.ledger, plain(Stopped(case=CASE, reason="enough")), REGISTRY)
    assert fold(play.ledger, Stopped(case=CASE, reason="enough"), REGISTRY)["reason"] == "enough"
    unchecked = Stopped.model_construct(type="stopped", case=CASE, reason="two\nlines " * 90)
    assert fold(play.ledger, unchecked, REGISTRY)["rejected"][0]["field"] == "stopped.reason"


ODD = [({"type": "x", "specialist": "permits"}, "permits"), ({"type": "x", "specialist": ["permits"]}, ""), ("x", "")]


@pytest.mark.parametrize(("event", "specialist"), ODD)
def test_what_cannot_be_read_is_noted_with_the_specialist_it_names(event: Any, specialist: str) -> None:
    play = Play()
    play.ledger = fold(play.ledger, event, REGISTRY)
    assert note(play)[0] == specialist
    play.ledger = fold(play.ledger, {"type": "x", "specialist": "parks"}, REGISTRY)
    assert {item["specialist"] for item in play.ledger["rejected"]} == {specialist, ""}


def test_a_ledger_of_an_older_version_is_migrated_by_its_next_event_and_an_unknown_one_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Play().ledger
    old = sealed({**{key: value for key, value in ledger.items() if key != "goal"}, "version": 0, "aim": "rats"})
    stop = plain(Stopped(case=CASE, reason="enough"))
    assert fold(old, stop, REGISTRY) is old
    monkeypatch.setitem(MIGRATIONS, 0, lambda old: {key: value for key, value in old.items() if key != "aim"} | {"version": 1, "goal": old["aim"]})
    after = fold(old, stop, REGISTRY)
    assert (after["version"], after["goal"], after["reason"]) == (1, "rats", "enough") and checked(after) is after
    assert checked(old)["goal"] == "rats"
    newer = sealed({**ledger, "version": 2})
    assert fold(newer, stop, REGISTRY) is newer
    with pytest.raises(LedgerError, match="upgrade"):
        checked(newer)


def test_a_closed_case_takes_no_new_event_of_any_kind() -> None:
    play = Play("one", "two")
    play.work(("permits", "c1: look"), status="blocked")
    play.work(("housing", "c2: look"))
    play.close("stopped", reason="enough")
    closed = play.ledger
    for event in (
        Asked(case=CASE, questions=("q1",)),
        Answered(case=CASE, question="q1", text="flat 2"),
        Stopped(case=CASE, reason="other"),
        decided(3, verdict="empty", action=None),
        {"type": "compacted", "case": CASE, "upto_step": 1, "upto_decision": 1, "before": 3, "handle": "L1"},
        Finished(case=CASE, at=AT, status="done"),
    ):
        after = fold(closed, event if isinstance(event, dict) else plain(event), REGISTRY)
        faults = after["rejected"] + after["conflicts"]
        assert [item.get("cause", "clash") for item in faults] in (["is closed"], ["clash"]), event
        assert {key: after[key] for key in ("status", "questions", "steps", "decisions", "archive", "reason")} == {
            key: closed[key] for key in ("status", "questions", "steps", "decisions", "archive", "reason")
        }


def test_an_earlier_case_is_told_only_when_its_handle_is() -> None:
    play = Play("one")
    new = opened() | {"case": "case2", "follows": CASE}
    assert fold(play.ledger, new, REGISTRY)["earlier"] is None
    assert fold(play.ledger, new | {"earlier": "E1"}, REGISTRY)["earlier"] == {"cases": 1, "line": "rats at 5 Elm St | left open |", "handle": "E1"}
    assert fold({}, opened() | {"earlier": "E1"}, REGISTRY)["earlier"] is None


def test_a_step_keeps_the_seals_of_the_handles_that_it_names() -> None:
    play = Play("one")
    play.dispatch(("permits", "c1: look"))
    given = (("A1", "1" * 16), ("A1.2", "2" * 16))
    play.fold(Returned(case=CASE, step=1, specialist="permits", result=result(play.step(1)), seals=given))
    assert play.step(1)["seals"] == {"A1": "1" * 16} and checked(play.ledger) == play.ledger
    for wrong in ([("A1", "x")], [("../A1", "1" * 16)], [(f"A1.{n}", "1" * 16) for n in range(2, 30)]):
        with pytest.raises(ValueError):
            Returned(case=CASE, step=1, specialist="permits", result=None, seals=wrong)


def test_handles_that_nobody_sealed_need_only_be_handles_of_this_case() -> None:
    play = Play("one")
    play.work(("permits", "c1: look"))
    assert checked_handles(play.ledger, play.artifacts) == play.artifacts and checked_handles(play.ledger, {}) == {}
    with pytest.raises(LedgerError, match="hold A1 of another case"):
        checked_handles(play.ledger, {"A1": play.artifacts["A1"] | {"case": "other"}})


def test_the_reason_that_a_case_was_stopped_for_stays_when_it_is_closed() -> None:
    play = Play()
    play.fold(Stopped(case=CASE, reason="enough"))
    play.close("stopped")
    assert play.ledger["reason"] == "enough"
