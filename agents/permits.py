"""Permits: whether work, use, occupancy, street or hours are allowed, from permits, inspections and citations."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import Field

from agents.lookup import Found, Work
from agents.potholes import street_permits
from agents.records import Case, Finding, Permit, Records, Site, State, Violation, case_history, violations
from agents.records import permit_history as history
from agents.specialist import Specialist, Task
from agents.tools import RecordId, counted, day, investigate, newest, prompt, tools_of
from contracts import Facts, Return


class PermitsFacts(Facts):
    """Counts, ids and dates of what is permitted at a place."""

    found: Found = Field(description="What the address led to.")
    permits: int = Field(ge=0, description="Building permits on file.")
    active: int = Field(ge=0, description="How many of them cover work today.")
    newest: RecordId | None = Field(description="Newest building permit.")
    expires: dt.date | None = Field(description="Its last day.")
    open: int = Field(ge=0, description="Open cases about work, use or hours.")
    violations: int = Field(ge=0, description="Open violations about permits.")
    street_permits: int = Field(ge=0, description="Street work permits on the street.")


class PermitsReturn(Return):
    """What permits hands back."""

    facts: PermitsFacts


def permit_history(records: Records, site: Site, today: dt.date) -> Finding[Permit]:
    """Find the building permits of an address and whether each still covers work today."""
    return history(records, site, today)


def permit_cases(records: Records, site: Site, today: dt.date) -> Finding[Case]:
    """Find complaints about work, use, occupancy or hours, with the outcome of each inspection."""
    return case_history(records, site, "permits")


def citations(records: Records, site: Site, today: dt.date) -> Finding[Violation]:
    """Find all violations cited at an address, such as work without a permit."""
    return violations(records, site)


QUERIES = (permit_history, permit_cases, citations, street_permits)


def judge(work: Work) -> tuple[Sequence[str], str, PermitsFacts]:
    """Weigh the findings for the router."""
    permits, cases, cited, street = (work.items(query) for query in QUERIES)
    active = [permit for permit in permits if permit.state is State.ACTIVE]
    live, owed = [case for case in cases if case.is_open], [item for item in cited if item.is_open and item.specialist == "permits"]
    last, case = newest(active or permits, "issued_date"), newest(cases, "opened_at")
    if work.found is Found.STREET:
        dug = newest(street, "expiration_date")
        parts = [f"{counted(street, 'street work permit')} on {work.label}", dug.id if dug else "", work.as_of(street_permits)]
    else:
        parts = [f"{counted(permits, 'permit')} at {work.label}, {len(active)} active", last.id if last else "", work.as_of(permit_history)]
    held = f"{counted(permits, 'building permit')}, {len(active)} active" if work.found is Found.BUILDING else "building permits"
    outcome = (
        f"{work.label}: {held}"
        + (f", latest {last.id} {last.state}, last day {last.expiration_date or 'not stated'}" if last else "")
        + f", {work.as_of(permit_history)}; {counted(cases, 'case')}, {len(live)} open"
        + (f", latest {case.id} {case.outcome or case.status}" if case else "")
        + f", {work.as_of(permit_cases)}; {counted(owed, 'open permit violation')}; {counted(street, 'street work permit')}."
    )
    facts = PermitsFacts(
        found=work.found,
        permits=len(permits),
        active=len(active),
        newest=last.id if last else None,
        expires=day(last.expiration_date) if last else None,
        open=len(live),
        violations=len(owed),
        street_permits=len(street),
    )
    return [part for part in parts if part], outcome, facts


async def run(task: Task) -> Return:
    """Look up permits, inspections and citations without a model."""
    return await investigate(task, QUERIES, judge, on_streets=(street_permits, permit_cases))


def tools(task: Task) -> Sequence[Callable[..., Any]]:
    """Give a model the same queries."""
    return tools_of(task, *QUERIES)


permits = Specialist(
    name="permits",
    description="Whether work, use, occupancy, street or hours are permitted; permit history.",
    returns=PermitsReturn,
    run=run,
    tools=tools,
    prompt=prompt("building permits, street work permits, inspections and whether work, use, occupancy or hours are allowed"),
    examples=(
        "The contractor works at night and never showed a permit",
        "Is the renovation permit in the window still valid?",
        "They dug up the street and blocked it with a dumpster, is that allowed?",
    ),
)
