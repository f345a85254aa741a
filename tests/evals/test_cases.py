"""Cases are made by the real fold, hold what their depth says, and name other specialists than the one that is asked for."""

import pytest

from agents.offline.matching import foreign, match
from agents.offline.situation import read
from agents.registry import SPECIALISTS
from ledger import Asked, checked
from tests.evals import views
from tests.evals.cases import CASE, opened, scripted
from tests.evals.depth import HOPS, LATE, MISSED, OPENING, PREMATURE, finish_probes, probes
from tests.evals.labels import balanced, own

PROBES = {kind: next(probe for probe in probes(own()) if probe.kind == kind) for kind in {item.kind for item in own()}}


@pytest.mark.parametrize("hop", HOPS)
@pytest.mark.parametrize("kind", sorted(PROBES))
def test_a_case_holds_the_hops_before_its_decision_and_one_open_matter(kind: str, hop: int) -> None:
    probe = PROBES[kind]
    case = probe.at(hop)
    told = read(case.prompt.system, case.prompt.user)
    assert case.hop == hop and len(case.turns) == hop - 1 and checked(case.ledger)
    assert [(item.id, item.owners, item.status) for item in told.criteria] == [("c1", (), "met"), ("c2", (), "open")]
    assert told.goal.endswith(probe.text)
    history = case.turns[:-1] if probe.last else case.turns
    assert not {turn.specialist for turn in history} & probe.gold or len(probe.gold) == 4


def test_the_last_turn_of_a_follow_up_is_what_it_refers_to() -> None:
    probe = PROBES["follow_up"]
    assert probe.last is not None
    for hop in HOPS:
        assert f"{probe.last.specialist} done asked" in probe.at(hop).prompt.user.partition("\nLATEST\n")[2]
        assert probe.last.headline in probe.at(hop).prompt.user


def test_the_frame_round_a_text_says_nothing_about_whom_it_is_for() -> None:
    assert not match(OPENING, SPECIALISTS) and not foreign(OPENING, SPECIALISTS)


def test_finish_probes_leave_one_matter_open_or_none() -> None:
    for kind, status in ((PREMATURE, "open"), (MISSED, "met")):
        for hop in (2, LATE):
            case = next(probe for probe in finish_probes() if probe.kind == kind).at(hop)
            assert case.hop == hop and [item["status"] for item in case.ledger["criteria"]] == ["met", status]


def test_a_long_case_is_compacted_to_its_budget_as_the_desk_does() -> None:
    case = PROBES["single"].at(50)
    assert case.ledger["archive"] and case.prompt.tokens <= case.ledger["setup"]["limits"]["budget"]


def test_an_event_that_the_ledger_refuses_is_an_error_here() -> None:
    case = opened("goal", ("matter", ())).work(scripted("permits", 0))
    with pytest.raises(ValueError, match="refused asked"):
        case.then(Asked(case=CASE, questions=("q9",)))


def test_views_differ_in_history_alone() -> None:
    case = PROBES["single"].at(12)
    shown = {name: view(case) for name, view in views.VIEWS.items()} | {views.MESSAGES: views.messages(case)}
    head = shown["ledger"].user.partition("\nSTEPS")[0]
    assert all(prompt.system == shown["ledger"].system and prompt.user.startswith(head) for prompt in shown.values())
    told = {name: [turn.headline in prompt.user or turn.outcome in prompt.user for turn in case.turns] for name, prompt in shown.items()}
    assert all(told["ledger"]) and all(told["transcript"]) and all(told["messages"]) and told["last_turn"] == [False] * 10 + [True]
    assert case.turns[0].records[0] in shown["transcript"].user and case.turns[0].records[0] not in shown["messages"].user
    assert shown["ledger"].tokens < shown["last_turn"].tokens < shown["messages"].tokens < shown["transcript"].tokens


def test_a_limit_is_spread_over_the_kinds() -> None:
    assert {item.kind for item in balanced(own(), 7)} == {item.kind for item in own()}
    assert balanced(own(), None) == own() and len(balanced(own(), 50)) == 50
