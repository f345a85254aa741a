"""The laws of the reducer, each for any value in any position of any event or ledger."""

import copy
import itertools
import json
from functools import lru_cache
from typing import Any

import ormsgpack
from hypothesis import example, given
from hypothesis import strategies as st

from contracts import LedgerError
from ledger import Answered, Finished, Stopped, checked, digest_of, fold, plain, render
from ledger.seal import canonical, is_sealed, is_whole
from tests.ledger.junk import CANARY, JSONS, TEXTS, places, put, with_key
from tests.ledger.play import CASE, NAMES, REGISTRY, Play, opened, result

JSON = dict[str, Any]


def same(one: Any, other: Any) -> bool:
    """Compare as JSON text, so that NaN equals NaN and 1 is not True."""
    return repr(one) == repr(other)


@lru_cache(maxsize=1)
def story() -> tuple[list[JSON], list[JSON]]:
    """Return the events of a case with everything in it, and the ledger after each."""
    play = Play("one", "two", "three", goal="rats and a pothole at 5 Elm St", budget=1600)
    play.work(("permits", "c1: permits at 5 Elm St"), ("housing", "c2: heat at 5 Elm St"), status="blocked")
    play.ask()
    play.work(("permits", "c1: permits at 5 Elm St"))
    play.dispatch(("parks", "c1: a park"))
    play.dispatch(("potholes", "c3: road"), ("sanitation", "c3: rats"))
    play.fail(5)
    play.give(4, status="nonsense")
    for n in range(6, 12):
        play.work((NAMES[n % 4], f"c2: house number {n} Elm St"), status="partial")
    play.compact(budget=600)
    play.work(("housing", "c2: all of it"), status="blocked")
    play.ask("")
    play.fold(Stopped(case=CASE, reason="enough"))
    play.close("stopped", answer="R1", missing=("A3",))
    assert play.archives and not play.ledger["rejected"]
    states = [{}]
    for event in play.events:
        states.append(fold(states[-1], event, REGISTRY))
    assert states[-1] == play.ledger
    return play.events, states


EVENTS, STATES = story()
MOMENTS = st.integers(0, len(EVENTS) - 1)


@st.composite
def spoilt_events(draw: st.DrawFn) -> tuple[int, Any]:
    """Draw a moment of the story and its event with junk in any one position, or under a new key."""
    n = draw(MOMENTS)
    path = draw(st.sampled_from(list(places(EVENTS[n]))))
    junk = draw(JSONS)
    if draw(st.booleans()):
        return n, put(EVENTS[n], path, junk)
    return n, with_key(EVENTS[n], path, draw(TEXTS), junk)


@st.composite
def spoilt_ledgers(draw: st.DrawFn) -> tuple[int, Any]:
    """Draw a moment of the story and the ledger before its event with junk in any one position."""
    n = draw(st.integers(1, len(EVENTS) - 1))
    path = draw(st.sampled_from(list(places(STATES[n]))))
    return n, put(STATES[n], path, draw(JSONS))


@given(JSONS, JSONS)
def test_no_value_as_ledger_or_event_makes_it_raise(ledger: Any, event: Any) -> None:
    fold(ledger, event, REGISTRY)
    fold(STATES[9], event, REGISTRY)
    fold(STATES[9], [event, [event]], REGISTRY)
    fold(ledger, EVENTS[9], REGISTRY)


@given(spoilt_events())
def test_no_value_in_any_position_of_an_event_makes_it_raise_or_leaves_a_broken_ledger(spoilt: tuple[int, Any]) -> None:
    n, event = spoilt
    folded = fold(STATES[n], event, REGISTRY)
    if folded:
        assert checked(folded) == folded
        canonical(folded)
        render(folded, {})


@given(spoilt_ledgers())
def test_an_altered_ledger_never_raises_and_never_becomes_trusted(spoilt: tuple[int, Any]) -> None:
    n, ledger = spoilt
    folded = fold(ledger, EVENTS[n], REGISTRY)
    if same(ledger, STATES[n]) or ledger in ({}, None):
        return
    assert not is_whole(folded)
    try:
        raise AssertionError(f"trusted {checked(folded)}")
    except LedgerError:
        pass


@given(spoilt_ledgers())
def test_a_hand_made_ledger_with_a_digest_of_its_own_never_raises(spoilt: tuple[int, Any]) -> None:
    n, ledger = spoilt
    try:
        ledger = {**ledger, "digest": digest_of(ledger)}
    except (TypeError, ValueError, AttributeError, LookupError, RecursionError):
        return
    assert is_sealed(ledger)
    for event in EVENTS:
        fold(ledger, event, REGISTRY)


@given(spoilt_events())
def test_inputs_are_never_changed(spoilt: tuple[int, Any]) -> None:
    n, event = spoilt
    before, told = repr(STATES[n]), repr(event)
    folded = fold(STATES[n], event, REGISTRY)
    fold(folded, EVENTS[n], REGISTRY)
    assert repr(STATES[n]) == before and repr(event) == told


@given(st.data())
def test_an_event_that_was_folded_before_changes_nothing(data: st.DataObject) -> None:
    now = data.draw(st.integers(1, len(EVENTS)))
    before = data.draw(st.integers(0, now - 1))
    assert fold(STATES[now], EVENTS[before], REGISTRY) is STATES[now]
    assert fold(STATES[now], copy.deepcopy(EVENTS[:now]), REGISTRY) == STATES[now]


@given(st.data())
def test_the_same_id_with_other_content_is_a_recorded_conflict(data: st.DataObject) -> None:
    now = data.draw(st.integers(1, len(EVENTS)))
    event = copy.deepcopy(EVENTS[data.draw(st.integers(0, now - 1))])
    known = {"opened": "goal", "decided": "reason", "returned": "cause", "answered": "text", "stopped": "reason", "closed": "reason"}
    if event["type"] not in known:
        return
    event[known[event["type"]]] = f"other {CANARY}"
    if event["type"] == "answered":
        event["lapsed"] = False
    folded = fold(STATES[now], event, REGISTRY)
    archived = event["type"] in ("decided", "returned") and STATES[now]["archive"]
    assert len(folded["conflicts"]) == len(STATES[now]["conflicts"]) + 1 or archived and folded is STATES[now]
    assert CANARY not in repr(folded["conflicts"])
    rest = {key: value for key, value in folded.items() if key not in ("conflicts", "digest")}
    assert rest == {key: value for key, value in STATES[now].items() if key in rest}


@given(st.integers(0, len(EVENTS)))
def test_folding_in_parts_is_folding_at_once(cut: int) -> None:
    assert fold(fold({}, EVENTS[:cut], REGISTRY), EVENTS[cut:], REGISTRY) == fold({}, EVENTS, REGISTRY) == STATES[-1]


@given(MOMENTS)
def test_a_round_trip_through_json_or_msgpack_changes_nothing(n: int) -> None:
    for ledger in (
        json.loads(json.dumps(STATES[n])),
        json.loads(json.dumps(STATES[n], sort_keys=True)),
        ormsgpack.unpackb(ormsgpack.packb(STATES[n])),
    ):
        assert is_whole(ledger) or not ledger
        assert fold(ledger, json.loads(json.dumps(EVENTS[n], sort_keys=True)), REGISTRY) == STATES[n + 1]


@given(spoilt_events())
@example((3, {**EVENTS[3], "type": CANARY}))
@example((3, {**EVENTS[3], "result": {CANARY: object()}}))
def test_what_does_not_fit_leaves_nothing_of_its_text(spoilt: tuple[int, Any]) -> None:
    n, event = spoilt
    folded = fold(STATES[n], event, REGISTRY)
    if not folded:
        return
    assert CANARY not in repr([folded["rejected"], folded["conflicts"], [step for step in folded["steps"] if step["status"] == "rejected"]])


RESULTS = st.builds(
    lambda status, settles, asks, own, extra: {"status": status, "settles": settles, "asks": asks, "own": own, "extra": extra},
    st.sampled_from(["done", "partial", "blocked", "failed", "nonsense", None]),
    st.lists(st.sampled_from(["c1", "c2", "c3", "c9"]), max_size=3, unique=True),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from([{}, {"facts": {"count": 10**30}}, {"headline": ""}, {"outcome": "Done."}]),
)


def returned(step: JSON, drawn: JSON) -> JSON:
    """Return the event of one sibling."""
    n, asks = step["n"], drawn["asks"] or int(drawn["status"] == "blocked")
    made = result(
        step,
        str(drawn["status"]),
        settles=drawn["settles"],
        questions=[{"text": f"question {index} of step {n}", "to": "resident"} for index in range(asks)],
        artifacts=[f"A{n}", f"A{n}.2", f"A{n}.3"][: drawn["own"]],
        **drawn["extra"],
    )
    spent = {"tokens_in": n, "tokens_out": 1, "tokens_source": "estimated", "calls": 1, "ms": n}
    failed = drawn["status"] is None
    event = {"type": "returned", "case": CASE, "step": n, "specialist": step["specialist"], "result": None if failed else made}
    return event | {"cause": "records are down" if failed else "", "spent": spent}


@given(st.lists(RESULTS, min_size=4, max_size=4), st.lists(RESULTS, min_size=4, max_size=4), st.permutations(range(4)), st.permutations(range(4)))
def test_siblings_may_return_in_any_order(first: list[JSON], second: list[JSON], one: list[int], other: list[int]) -> None:
    ends = []
    for order in (one, other):
        play = Play("one", "two", "three")
        for round_, drawn in enumerate((first, second)):
            play.dispatch(*((name, f"c{1 + index % 3}: {round_} Elm St") for index, name in enumerate(NAMES)))
            waiting = [step for step in play.ledger["steps"] if step["status"] == "pending"]
            play.fold(*(returned(waiting[index], drawn[index]) for index in order))
        assert sum(item["status"] == "open" for item in play.ledger["questions"]) <= 12
        ends.append(play.ledger)
    assert ends[0] == ends[1]


def test_questions_beyond_the_twelfth_are_refused_by_name_in_any_order() -> None:
    asks = {"status": "blocked", "settles": [], "asks": 3, "own": 0, "extra": {}}
    ends = []
    for order in itertools.islice(itertools.permutations(range(4)), 0, None, 5):
        play = Play("one", "two", "three")
        play.dispatch(("permits", "c1: first"))
        play.fold(*(returned(step, asks) for step in play.ledger["steps"]))
        play.dispatch(*((name, f"c{1 + index % 3}: second") for index, name in enumerate(NAMES)))
        waiting = play.ledger["steps"][1:]
        play.fold(*(returned(waiting[index], asks) for index in order))
        ends.append(play.ledger)
    assert all(end == ends[0] for end in ends)
    assert {(note["specialist"], note["cause"].split()[0]) for note in ends[0]["rejected"]} == {
        ("sanitation", "q5"),
        ("sanitation", "q5.2"),
        ("sanitation", "q5.3"),
    }
    assert ends[0]["criteria"][0]["tried"], "a step none of whose questions found room was tried in vain"


def test_an_old_opening_event_cannot_bring_its_case_back() -> None:
    play = Play("one")
    play.close("stopped")
    newer = {**opened(("two",)), "case": "case2", "follows": CASE, "earlier": "E1"}
    second = fold(play.ledger, newer, REGISTRY)
    assert second["case"] == "case2" and second["earlier"]["handle"] == "E1"
    third = fold(second, play.events[0], REGISTRY)
    assert third["case"] == "case2" and third["rejected"][0]["field"] == "follows"
    assert fold(second, plain(Answered(case=CASE, question="q1", text="x")), REGISTRY)["rejected"][0]["cause"] == "belongs to another case"


def test_nothing_but_repetitions_reaches_a_closed_case() -> None:
    play = Play("one")
    play.dispatch(("permits", "c1: look"))
    closed = fold(play.ledger, plain(Finished(case=CASE, at="2026-05-01T08:00:00Z", status="done")), REGISTRY)
    assert closed["status"] == "stopped" and closed["steps"][0]["status"] == "failed"
    late = fold(closed, {**EVENTS[2], "step": 1, "specialist": "permits", "result": result(1)}, REGISTRY)
    assert late["rejected"] == [{"specialist": "permits", "field": "case", "cause": "is closed"}]
    assert {key: late[key] for key in ("steps", "criteria", "status")} == {key: closed[key] for key in ("steps", "criteria", "status")}


def test_nesting_deeper_than_python_can_follow_is_just_another_misfit() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for event in (deep, {"type": "returned", "result": deep}, {**EVENTS[2], "result": deep}, {**EVENTS[1], "dispatch": deep}):
        assert fold(STATES[5], event, REGISTRY)["rejected"], "noted"
    for ledger in (deep, {**STATES[5], "steps": deep}, {**STATES[5], "case": deep}):
        assert fold(ledger, EVENTS[5], REGISTRY) is ledger
    for _ in range(100_000):
        deep = deep[0]
