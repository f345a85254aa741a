"""Housing: habitability, egress, landlord duty, illegal occupancy and vacant buildings, from violations, cases and inspections."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import Field

from agents.city.lookup import Found, Work
from agents.city.records import Case, Finding, Records, Severity, Site, Violation, case_history, inspections, violations
from agents.city.tools import RecordId, counted, day, investigate, newest, prompt, tools_of
from agents.specialist import Specialist, Task
from contracts import Facts, Return


class HousingFacts(Facts):
    """Counts, ids and dates of a building's condition on file."""

    found: Found = Field(description="What the address led to.")
    violations: int = Field(ge=0, description="Violations on file.")
    open: int = Field(ge=0, description="How many of them are open.")
    worst: Severity | None = Field(description="Worst open violation.")
    newest: RecordId | None = Field(description="Newest open violation, else the newest.")
    since: dt.date | None = Field(description="Date of its status.")
    cases: int = Field(ge=0, description="Housing cases on file.")
    open_cases: int = Field(ge=0, description="How many of them are open.")


class HousingReturn(Return):
    """What housing hands back."""

    facts: HousingFacts


def building_violations(records: Records, site: Site, today: dt.date) -> Finding[Violation]:
    """Find the violations of a building: open ones first, then by severity."""
    return violations(records, site)


def housing_cases(records: Records, site: Site, today: dt.date) -> Finding[Case]:
    """Find complaints about heat, pests, egress, occupancy and other living conditions, open ones first."""
    return case_history(records, site, "housing")


def inspection_report(records: Records, site: Site, today: dt.date) -> Finding[Case]:
    """Find what inspectors concluded at an address, newest first, whichever office they came from."""
    return inspections(records, site)


QUERIES = (building_violations, housing_cases, inspection_report)


def weigh(work: Work) -> tuple[Sequence[str], str, HousingFacts]:
    """Weigh the findings for the router."""
    cited, cases, inspected = (work.items(query) for query in QUERIES)
    owed, live = [item for item in cited if item.is_open], [case for case in cases if case.is_open]
    last, case, seen = newest(cited, "status_date"), newest(cases, "opened_at"), newest(inspected, "closed_at")
    worst = min((item.severity for item in owed), key=list(Severity).index, default=None)
    parts = [f"{counted(owed, 'open violation')} at {work.label}", f"newest {last.id}" if last else "", f"{work.as_of(building_violations)}"]
    outcome = (
        f"{work.label}: {counted(cited, 'violation')}, {len(owed)} open"
        + (f", worst {worst}" if worst else "")
        + (f", newest {last.id} of {last.status_date}" if last else "")
        + f"; {counted(cases, 'housing case')}, {len(live)} open"
        + (f", latest {case.id}" if case else "")
        + (f"; last inspection {seen.id}: {seen.outcome}" if seen else "; no inspection outcome")
        + f". Violations {work.as_of(building_violations)}, cases {work.as_of(housing_cases)}."
    )
    facts = HousingFacts(
        found=work.found,
        violations=len(cited),
        open=len(owed),
        worst=worst,
        newest=last.id if last else None,
        since=day(last.status_date) if last else None,
        cases=len(cases),
        open_cases=len(live),
    )
    return [part for part in parts if part], outcome, facts


async def run(task: Task) -> Return:
    """Look up violations, housing cases and inspections without a model."""
    return await investigate(task, QUERIES, weigh)


def tools(task: Task) -> Sequence[Callable[..., Any]]:
    """Give a model the same queries."""
    return tools_of(task, *QUERIES)


housing = Specialist(
    name="housing",
    description="homes fit to live in: heat, pests, leaks, egress; vacant houses",
    returns=HousingReturn,
    run=run,
    tools=tools,
    prompt=prompt("habitability, egress, illegal occupancy, vacant buildings and what the landlord owes: violations, cases, inspections"),
    examples=(
        "No heat; no heat in my apartment; heat below sixty; heat excessive insufficient; no hot water; boiler; furnace; "
        "landlord will not turn on heat; still cold; freezing; radiator; degrees in my flat; no water; no electricity; no gas in the unit; "
        "utilities shut off; Landlord will not fix the leak",
        "Ceiling; water comes through the ceiling, at the window line; mold; black mold; mould; mildew; damp; broken pipe in the basement; "
        "toilet, sink, stove; sewage in the basement; landlord ignores repairs; hallway lights; Mice; mice in apartment; mice infestation; "
        "roaches; cockroaches; bed bugs; bedbugs",
        "Pests; pest infestation residential; mice and roaches in building; rats inside my unit; infested; exterminator; Smoke detector; "
        "no working smoke detectors; smoke alarm; carbon monoxide; no carbon monoxide alarm; sprinklers; fire escape; "
        "obstructed fire escapes; rear exit boarded; exit locked",
        "Chained, padlocked; egress; one means of egress; no second way out; one exit; emergency egress blocked by a dumpster; "
        "People sleeping in the basement; people living in the basement; illegal apartment; sleeps in a storefront, shop, cellar; "
        "too many people in one bedroom; overcrowding",
        "Student overcrowding; locks on bedroom doors; mattresses on floors; Vacant building; vacant house; abandoned building; "
        "abandoned house; empty for years; open to trespass; squatters; plywood off, kids get in; unsecured; unsafe structure; "
        "wall leans, collapsing; loose porch, railing; chimney",
        "Absentee landlord; foundation wall cracked; Broken window; lock broken; front door, back door, entrance lock smashed; back stairs; "
        "strangers in lobby; ventilation; lead; lead paint; peeling paint in our rental; child tested for lead; asbestos; elevator; "
        "outlet sparks; exposed wires; handrail",
        "Pipe burst; leaking; Tenants are not given trash cans; landlord gives tenants no garbage cans; bins inside building overflow; "
        "management company; eviction; lease; landlord retaliates; fit to live in; unsafe and unsanitary living; landlord; apartment; "
        "tenant rents; bedroom",
        "Unsatisfactory living conditions; squalid living; maintenance complaint residential; maintenance homeowner; rooming house; "
        "illegal rooming house; cross metering sub-metering; breathe easy; no utilities residential; poor ventilation; "
        "student move-in issues; unsatisfactory utilities electrical",
        "Calefacción; sin calefacción; sin agua caliente; moho; cucarachas; chinches; ratones en el apartamento; el dueño no arregla; "
        "sem aquecimento; mofo; baratas; pas de chauffage; moisissure; punaises; chofaj; rental unit delivery conditions; uninhabitable; "
        "code violation; smell of gas in my apartment",
        "Heat off; thermostat; electricity goes out; stairs rotted; no handrail; asthma; slumlord; sleeping in shifts; windows smashed; "
        "empty house; teenagers going in; roof falling in; no smoke detectors; tenants; hallway ceiling collapsed; rusted; olor a gas",
    ),
)
