"""The run report says what the raw events say."""

import json
from statistics import linear_regression, mean

import pytest

from contracts import estimate
from ledger.figures import figures
from ledger.slope import slope_of, student
from tests.ledger.metered import Metered, healthy
from tests.ledger.play import NAMES


def report_of(case: Metered, **more: object):
    return figures(case.ledger, case.artifacts, case.archives, **more)


def test_the_report_equals_what_the_raw_events_add_up_to() -> None:
    case = healthy(60)
    decided = [event for event in case.events if event["type"] == "decided"]
    returned = [event for event in case.events if event["type"] == "returned"]
    report = report_of(case)
    assert len(case.archives) >= 1, "the case is long enough to have been compacted"
    assert [row.n for row in report.decisions] == [event["n"] for event in decided]
    for key in ("tokens_in", "tokens_out", "tokens_cached", "tokens_source", "attempts", "latency_ms", "difficulty", "prompt_tokens", "verdict"):
        assert [getattr(row, key) for row in report.decisions] == [event[key] for event in decided], key
    assert report.hops == sum(event["action"] == "dispatch" for event in decided) == 60
    assert report.steps == len(returned)
    assert report.compactions == tuple(event["before"] for event in case.events if event["type"] == "compacted")
    router = sum(event["tokens_in"] + event["tokens_out"] for event in decided)
    work = sum(event["spent"]["tokens_in"] + event["spent"]["tokens_out"] for event in returned)
    assert (report.router_tokens, report.all_tokens) == (router, router + work)
    assert report.token_share == pytest.approx(router / (router + work))
    slowest: dict[int, int] = {}
    sent = [event["n"] for event in decided for _ in event["dispatch"]]
    for event in returned:
        decision = sent[event["step"] - 1]
        slowest[decision] = max(slowest.get(decision, 0), event["spent"]["ms"])
    spent_routing = sum(event["latency_ms"] for event in decided)
    assert report.time_share == pytest.approx(spent_routing / (spent_routing + sum(slowest.values())))
    line = linear_regression([event["n"] for event in decided], [event["tokens_in"] / event["attempts"] for event in decided])
    assert report.slope and report.slope.per_decision == pytest.approx(line.slope)
    for fill in report.contracts:
        mine = [event["result"] for event in returned if event["specialist"] == fill.specialist]
        sizes = [estimate(item["headline"]) + estimate(item["outcome"]) + estimate(f"count={item['facts']['count']}") for item in mine]
        assert (fill.returns, fill.mean, fill.most) == (len(mine), pytest.approx(mean(sizes)), max(sizes))
        assert 0 < fill.share < 1
    assert report.stored_bytes == 9 * len(returned)
    assert json.loads(json.dumps(report.as_json()))["hops"] == 60


def test_every_decision_has_one_row_with_its_source_and_its_retries() -> None:
    """Case B68."""

    def meter(event):
        costs = {2: {"attempts": 3, "tokens_in": 1800, "verdicts": ["malformed", "window_exceeded", "ok"]}, 3: {"tokens_source": "estimated"}}
        return costs.get(event["n"], {})

    case = healthy(6, meter=meter)
    rows = report_of(case).decisions
    assert [row.n for row in rows] == [1, 2, 3, 4, 5, 6, 7]
    assert [row.hop for row in rows] == [1, 2, 3, 4, 5, 6, 6]
    assert all(row.tokens_in > 0 for row in rows)
    assert [row.tokens_source for row in rows] == ["reported", "reported", "estimated", "reported", "reported", "reported", "reported"]
    assert (rows[1].tokens_in, rows[1].attempts, rows[1].per_attempt) == (1800, 3, 600)
    assert report_of(case).verdicts == {"malformed": 1, "ok": 7, "window_exceeded": 1}


def test_a_missing_stretch_is_named_and_the_rest_is_still_right() -> None:
    case = healthy(120)
    whole, last = report_of(case), case.ledger["archive"][-1]["handle"]
    assert len(case.archives) >= 2
    none = figures(case.ledger, case.artifacts)
    part = figures(case.ledger, case.artifacts, {last: case.archives[last]})
    assert (none.missing, part.missing) == (last, case.archives[last]["previous"])
    for report in (none, part):
        assert report.decisions == whole.decisions[-len(report.decisions) :]
        assert (report.hops, report.steps) == (whole.hops, whole.steps)
    assert len(none.decisions) < len(part.decisions) < len(whole.decisions)
    assert case.archives[last]["previous"] is not None, "figures do not change what they are given"


def test_a_case_that_has_only_been_opened_has_a_report() -> None:
    report = figures(Metered("c one").ledger)
    assert (report.decisions, report.slope, report.hops, report.token_share, report.time_share) == ((), None, 0, 0.0, 0.0)


def test_repeats_are_told_apart() -> None:
    case = Metered("rats", "heat")
    ask = ("housing", "c2: heat at 5 Elm St")
    case.dispatch(ask)
    case.fail(1)
    case.work(ask)
    case.dispatch(ask)
    report = report_of(case)
    assert (report.repeats_justified, report.repeats_unjustified, report.repeats_refused) == (1, 0, 1)


def test_accuracy_is_split_into_early_and_late() -> None:
    case = healthy(9)
    right = {row.n: set(row.moves) for row in report_of(case).decisions}
    seen = report_of(case, labels=right | {n: {"nobody"} for n in (8, 9, 10)}).accuracy
    assert seen and (seen.early, seen.late, seen.labelled) == (1.0, 0.4, 10)
    assert report_of(case, labels={}).accuracy is None


def test_the_bound_is_never_below_a_prompt() -> None:
    assert all(row.prompt_tokens <= row.bound for row in report_of(healthy(200)).decisions)


@pytest.mark.parametrize(("free", "quantile"), [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)])
def test_students_quantiles_are_those_of_the_tables(free: int, quantile: float) -> None:
    assert student(free) == pytest.approx(quantile, rel=1e-2)


def test_the_interval_holds_the_true_slope_about_as_often_as_it_says() -> None:
    import random

    noise, inside = random.Random(7), 0
    for _ in range(400):
        line = slope_of([(n, 500 + 3 * n + noise.gauss(0, 20)) for n in range(1, 13)])
        assert line is not None
        inside += line.low <= 3 <= line.high
    assert 0.92 <= inside / 400 <= 0.98
    assert slope_of([(1, 5.0), (2, 6.0)]) is None


def test_specialists_at_once_count_as_one_wait() -> None:
    case = Metered("rats", "heat")
    case.hop(0, NAMES)
    report = report_of(case)
    assert report.decisions[0].work_ms == max(event["spent"]["ms"] for event in case.events if event["type"] == "returned")
    assert report.decisions[0].moves == NAMES
