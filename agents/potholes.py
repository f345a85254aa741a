"""Potholes: the state of roadway, sidewalk, curb, markings and drains, and who must restore a street cut."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import Field

from agents.lookup import Found, Work
from agents.records import Case, Finding, Records, Site, StreetWork, case_history, conditions_near, street_work
from agents.specialist import Specialist, Task
from agents.tools import RecordId, counted, day, investigate, newest, prompt, tools_of
from contracts import Facts, Return


class PotholesFacts(Facts):
    """Counts, ids and dates of what the street looks like on file."""

    found: Found = Field(description="What the address led to.")
    cases: int = Field(ge=0, description="Street cases within 80 m, or on the street.")
    open: int = Field(ge=0, description="How many of them are open.")
    newest: RecordId | None = Field(description="Newest open case, else the newest.")
    street_permits: int = Field(ge=0, description="Street work permits in front, or on the street.")
    restore: RecordId | None = Field(description="Latest permit whose holder must restore the surface.")
    restore_until: dt.date | None = Field(description="Its last day.")


class PotholesReturn(Return):
    """What potholes hands back."""

    facts: PotholesFacts


def street_conditions(records: Records, site: Site, today: dt.date) -> Finding[Case]:
    """Find street, sidewalk and drain cases within 80 metres, open ones first, duplicates followed to their end."""
    return conditions_near(records, site)


def street_cases(records: Records, site: Site, today: dt.date) -> Finding[Case]:
    """Find the street cases filed under the very address."""
    return case_history(records, site, "potholes")


def street_permits(records: Records, site: Site, today: dt.date) -> Finding[StreetWork]:
    """Find permits to open the street, and who must restore the surface."""
    return street_work(records, site)


QUERIES = (street_conditions, street_cases, street_permits)


def judge(work: Work) -> tuple[Sequence[str], str, PotholesFacts]:
    """Weigh the findings for the router."""
    cases = list({case.id: case for query in (street_conditions, street_cases) for case in work.items(query)}.values())
    permits = work.items(street_permits)
    front = [permit for permit in permits if permit.near] if work.found is Found.BUILDING else permits
    live, last, holder = [case for case in cases if case.is_open], newest(cases, "opened_at"), newest(front, "expiration_date")
    until = day(holder.expiration_date) if holder else None
    parts = [f"{counted(cases, 'street case')} by {work.label}, {len(live)} open", last.id if last else "", work.as_of(street_conditions)]
    where, rest = ("in front", f", {len(permits)} elsewhere on the street") if work.found is Found.BUILDING else ("on the street", "")
    street = f"{holder.permittee} must restore under {holder.id}, which ends {until or 'on no stated date'}" if holder else f"no permit {where}{rest}"
    outcome = (
        f"{counted(cases, 'street case')} by {work.label}, {len(live)} open"
        + (f", newest {last.id} opened {last.opened_at}" if last else "")
        + f". Street work: {street}. Cases {work.as_of(street_conditions)}, permits {work.as_of(street_permits)}."
    )
    facts = PotholesFacts(
        found=work.found,
        cases=len(cases),
        open=len(live),
        newest=last.id if last else None,
        street_permits=len(front),
        restore=holder.id if holder else None,
        restore_until=until,
    )
    return [part for part in parts if part], outcome, facts


async def run(task: Task) -> Return:
    """Look up street conditions and street work without a model."""
    return await investigate(task, QUERIES, judge, on_streets=(street_conditions, street_permits))


def tools(task: Task) -> Sequence[Callable[..., Any]]:
    """Give a model the same queries."""
    return tools_of(task, *QUERIES)


potholes = Specialist(
    name="potholes",
    description="Roadway, sidewalk, curb, markings, drains; who restores street cuts.",
    returns=PotholesReturn,
    run=run,
    tools=tools,
    prompt=prompt("the state of roadway, sidewalk, curb, markings and drains, and who must restore a street cut"),
    examples=(
        "There is a deep pothole in the road and the patch opened again",
        "The sidewalk panel is lifted and bricks are missing, someone will trip",
        "The catch basin is clogged and the corner floods after every rain",
    ),
)
