"""Permits: whether work, use, occupancy, street or hours are allowed, from permits, inspections and citations."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import Field

from agents.city.lookup import Found, Work
from agents.city.records import Case, Finding, Permit, Records, Site, State, Violation, case_history, violations
from agents.city.records import permit_history as history
from agents.city.tools import RecordId, counted, day, investigate, newest, prompt, tools_of
from agents.potholes import street_permits
from agents.specialist import Specialist, Task
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


def weigh(work: Work) -> tuple[Sequence[str], str, PermitsFacts]:
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
    return await investigate(task, QUERIES, weigh, on_streets=(street_permits, permit_cases))


def tools(task: Task) -> Sequence[Callable[..., Any]]:
    """Give a model the same queries."""
    return tools_of(task, *QUERIES)


permits = Specialist(
    name="permits",
    description="is work, use or street occupancy allowed: building permits, zoning, contractors",
    returns=PermitsReturn,
    run=run,
    tools=tools,
    prompt=prompt("building permits, street work permits, inspections and whether work, use, occupancy or hours are allowed"),
    examples=(
        "Permit; no permit; working without a permit; no permit posted, displayed; permit expired; is the permit still valid; "
        "when does the licence run out; unpermitted; was any work permitted; no paperwork in the window; has permission; Construction; "
        "construction before 7 am; construction at night",
        "Work after hours; work every Sunday; construction noise; jackhammer; drilling, sawing, hammering all night; crew starts early; "
        "begins at dawn; weekend work; Converted garage, attic, basement, cellar into an apartment; adding a flat; added a bedroom; "
        "extra unit; attic apartment",
        "Building a deck, dormer, third storey; approved for living; never approved; gutted; demolition; demo; framing walls; renovation; "
        "rebuilt; Dumpster in the street without permit; skip stands in parking spaces; moving container; was the dumpster allowed; "
        "street occupancy; scaffolding",
        "Scaffold blocks the sidewalk, curb cut; construction fence; crane; construction vehicles only signs; lane closed by construction; "
        "jersey barriers; Zoning; zoning violation; is it legal; does not look legal; illegal use; business run from a house; body shop; "
        "fixing cars for money",
        "Certificate of occupancy; lawn, front garden made into a parking lot; illegal curb cut; new driveway; variance; "
        "permission to operate; did he apply; approved; Stop work order; shut down by an inspector; building inspector; "
        "exceeding terms of permit; failure to obtain permit",
        "Electrician has no license; unlicensed; wiring; plumbing; gas fitting; rewiring; plans; Excavation; "
        "excavation next door cracked our foundation; developer; digging near my lot line; garage wall cracks; undermines my driveway; "
        "retaining wall dug out; protection of adjoining property",
        "Contractor tore up the sidewalk; curb removed by construction; Utility company dug up the road; whose excavation; who must restore; "
        "contractor left without restoring; gas company; sewer job; cable contractor; contractor complaints; "
        "National Grid, Comcast, Verizon",
        "Hold the construction company accountable; excavated; contractor's dumpster; Building inspection request; building permit; "
        "electrical; mechanical; unsafe dangerous conditions; illegal occupancy; contractors complaint; work hours loud noise complaints; "
        "illegal auto body shop; working beyond hours",
        "Facade inspection; contractor; builders; facade crew; licensed; Sin permiso; construcción sin permiso; obra; obra ilegal; "
        "travaux sans permis; construction site; contractor left trash and debris; roofers; roofing crew; roof deck; awning; "
        "house under renovation, tenants; hammering and cutting at 5 am",
        "Before sunrise; condo site; bulldozer; backhoe; who authorized this; built a deck with no one from the city; rear addition; "
        "was the addition approved; container takes spots; mechanic in a garage; short-term rental; change of use; inspector; "
        "unlicensed guy; new walls; pouring concrete; permit ended",
    ),
)
