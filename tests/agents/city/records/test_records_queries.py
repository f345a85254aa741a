"""What the queries return on the sample city, and what they say when there is nothing."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.city.records import (
    Records,
    Severity,
    Site,
    State,
    case_history,
    conditions_near,
    find_case,
    follow,
    inspections,
    locate_all,
    next_sweeping,
    permit_history,
    street_work,
    sweeping,
    violations,
)
from agents.city.records.buildings import permit_state, severity
from agents.city.records.cases import Case, How
from agents.city.records.layout import SOURCES
from agents.city.records.places import metres
from agents.city.records.sample import HEROES
from agents.city.records.schema import finish, open_records, writing

TODAY = dt.date(2025, 3, 3)


@pytest.mark.parametrize("address", HEROES)
def test_every_hero_building_has_records_of_every_kind(city: Records, address: str) -> None:
    home = locate_all(city, address)[0].sites[0]
    found = [case_history(city, home, owner) for owner in ("potholes", "permits", "sanitation", "housing")]
    found += [
        conditions_near(city, home),
        violations(city, home),
        permit_history(city, home, TODAY),
        street_work(city, home),
        sweeping(city, home, TODAY),
    ]
    for finding in found:
        assert finding.items, finding.title
        assert finding.as_of[:2] == "20"
        assert all(record in finding.text() for record in finding.ids)


def test_no_record_is_said_and_is_not_an_error(city: Records) -> None:
    bare = Site(label="1 Bare St", street="bare st", number=1, sam_ids=("1",))
    finding = permit_history(city, bare, TODAY)
    assert (finding.items, finding.ids) == ((), ())
    assert "no record" in finding.summary and finding.as_of in finding.summary


def test_a_history_holds_only_its_owner_and_open_cases_come_first(city: Records, site: Callable[[str], Site]) -> None:
    cases = case_history(city, site("31 Lantern St"), "housing").items
    assert {case.specialist for case in cases} == {"housing"}
    states = [case.is_open for case in cases]
    assert states == sorted(states, reverse=True)


def test_conditions_lie_within_the_radius(city: Records, site: Callable[[str], Site]) -> None:
    home = site("31 Lantern St")
    near = conditions_near(city, home).items
    assert near and all(case.distance is not None and case.distance <= 80 for case in near)
    every = city.rows("SELECT case_id, lat, lon FROM cases WHERE specialist = 'potholes'")
    assert home.lat is not None and home.lon is not None
    assert {case.id for case in near} == {row["case_id"] for row in every if metres(home.lat, home.lon, row["lat"], row["lon"]) <= 80}


def test_inspections_state_an_outcome(city: Records, site: Callable[[str], Site]) -> None:
    assert all(case.outcome for case in inspections(city, site("31 Lantern St")).items)


def test_violations_come_open_first_and_worst_first(city: Records) -> None:
    items = violations(city, Site(label="Lantern St", street="lantern st")).items
    order = [(not item.is_open, list(Severity).index(item.severity)) for item in items]
    assert len(items) > 3 and order == sorted(order)
    assert all(item.is_open for item in violations(city, Site(label="Lantern St", street="lantern st"), open_only=True).items)


@pytest.mark.parametrize(
    ("code", "description", "level"),
    [
        ("116.2", "Unsafe and Dangerous", Severity.DANGER),
        ("116", "", Severity.DANGER),
        ("1006.3", "Means of Egress", Severity.DANGER),
        ("102.8", "Maintenance", Severity.CONDITION),
        ("105.1", "Failure to Obtain Permit", Severity.PAPERWORK),
        ("110.12", "Mechanical Execution of Work", Severity.CONDITION),
    ],
)
def test_severity_follows_the_words_of_the_code(code: str, description: str, level: Severity) -> None:
    assert severity(code, description) is level


@pytest.mark.parametrize(
    ("status", "expires", "state"),
    [("open", "2025-03-03", State.ACTIVE), ("open", "2025-03-02", State.EXPIRED), ("", "", State.UNDATED), ("closed", "2030-01-01", State.CLOSED)],
)
def test_a_permit_covers_work_until_its_last_day(status: str, expires: str, state: State) -> None:
    assert permit_state(status, expires, TODAY) is state


@pytest.mark.parametrize(
    ("weeks", "days", "year_round", "long_season", "today", "expected"),
    [
        ("24", "Mon", False, False, "2025-06-01", "2025-06-09"),
        ("13", "Mon", False, False, "2025-06-03", "2025-06-16"),
        ("24", "Mon", False, False, "2025-06-09", "2025-06-09"),
        ("24", "Wed", False, False, "2025-11-27", "2026-04-08"),
        ("24", "Wed", False, True, "2025-11-27", "2025-12-10"),
        ("24", "Wed", True, False, "2025-12-25", "2026-01-14"),
        ("5", "Sun", True, False, "2025-02-01", "2025-03-30"),
        ("12345", "Sun Mon Tue Wed Thu Fri Sat", True, False, "2025-02-01", "2025-02-01"),
        ("", "Mon", True, False, "2025-02-01", None),
        ("24", "", True, False, "2025-02-01", None),
    ],
)
def test_the_next_sweeping_day(weeks: str, days: str, year_round: bool, long_season: bool, today: str, expected: str | None) -> None:
    found = next_sweeping(weeks, days, year_round, long_season, dt.date.fromisoformat(today))
    assert (found and found.isoformat()) == expected


def test_sweeping_is_told_for_the_side_of_the_house(city: Records, site: Callable[[str], Site]) -> None:
    assert {sweep.side for sweep in sweeping(city, site("31 Lantern St"), TODAY).items} == {"Odd"}
    assert {sweep.side for sweep in sweeping(city, site("holes on Lantern St"), TODAY).items} == {"Odd", "Even"}


def test_street_work_in_front_of_the_house_comes_first_and_names_who_restores(city: Records, site: Callable[[str], Site]) -> None:
    work = street_work(city, site("31 Lantern St"))
    assert work.items[0].near
    assert all(item.permittee in item.line() for item in work.items)


def chained(tmp_path: Path, *closures: tuple[str, str]) -> Records:
    """Make a database whose cases have these ids and closure reasons, all of one kind at one address."""
    path = tmp_path / "chain.db"
    source = next(source for source in SOURCES if source.table == "cases")
    with writing(path) as connection:
        for day, (case_id, closure) in enumerate(closures, 1):
            row = dict.fromkeys(source.columns, "") | {
                "case_id": case_id,
                "closure_reason": closure,
                "opened_at": f"2024-01-{day:02}",
                "type": "Bed Bugs",
            }
            source.insert(connection, row | {"address": "3 Elm St", "sam_id": "7", "status": "closed" if closure else "open"})
        finish(connection, "test", dict.fromkeys(("sweeping", "buildings", "service_types"), ""))
    return open_records(path)


def chain_of(records: Records, case_id: str) -> tuple[How, tuple[str, ...]] | None:
    case = find_case(records, case_id)
    assert isinstance(case, Case)
    chain = follow(records, case)
    return chain and (chain.how, chain.ids)


A, B, C = "901000111111", "901000222222", "901000333333"


@pytest.mark.parametrize(
    "written",
    [
        f"Duplicate of case #{A}",
        "duplicate of 0111111",
        "Duplicate of Existing Case entered in ISD for inspection 901111111",
        f"See case #{A} for status",
    ],
)
def test_a_named_case_is_found_however_it_is_written(tmp_path: Path, written: str) -> None:
    assert chain_of(chained(tmp_path, (A, ""), (B, written)), B) == (How.STATED, (B, A))


def test_duplicates_of_duplicates_are_followed_to_their_end(tmp_path: Path) -> None:
    records = chained(tmp_path, (A, ""), (B, f"Duplicate of {A}"), (C, f"Duplicate of {B}"))
    assert chain_of(records, C) == (How.STATED, (C, B, A))


def test_an_unnamed_original_is_inferred_and_marked_so(tmp_path: Path) -> None:
    records = chained(tmp_path, (A, ""), (B, "Duplicate of Existing Case"))
    assert chain_of(records, B) == (How.INFERRED, (B, A))
    case = find_case(records, B)
    assert case is not None and (chain := follow(records, case)) is not None and "not stated" in chain.note()


def test_circles_dead_ends_and_plain_closures(tmp_path: Path) -> None:
    records = chained(
        tmp_path,
        (A, f"Duplicate of {B}"),
        (B, f"Duplicate of {A}"),
        (C, "Duplicate of case #901000999999"),
        ("901000444444", "Case Resolved, call 6176354500"),
    )
    assert chain_of(records, A) == (How.CIRCULAR, (A, B, A))
    assert chain_of(records, C) == (How.OFF_FILE, (C, "901000999999"))
    assert chain_of(records, "901000444444") is None
