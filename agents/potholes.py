"""Potholes: the state of roadway, sidewalk, curb, markings and drains, and who must restore a street cut."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import Field

from agents.city.lookup import Found, Work
from agents.city.records import Case, Finding, Records, Site, StreetWork, case_history, conditions_near, street_work
from agents.city.tools import RecordId, counted, day, investigate, newest, prompt, tools_of
from agents.specialist import Specialist, Task
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


def weigh(work: Work) -> tuple[Sequence[str], str, PotholesFacts]:
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
    return await investigate(task, QUERIES, weigh, on_streets=(street_conditions, street_permits))


def tools(task: Task) -> Sequence[Callable[..., Any]]:
    """Give a model the same queries."""
    return tools_of(task, *QUERIES)


potholes = Specialist(
    name="potholes",
    description="state of road, sidewalk, curb, markings and drains: holes, cracks",
    returns=PotholesReturn,
    run=run,
    tools=tools,
    prompt=prompt("the state of roadway, sidewalk, curb, markings and drains, and who must restore a street cut"),
    examples=(
        "Pothole; deep pothole in the road; my car hit a pothole, flat tire, bent rim; crater; hole in the street; hole in the roadway; "
        "gap opened in the blacktop; drivers swerve; road needs repaving; resurfacing; tarmac; asphalt; Broken sidewalk; cracked sidewalk; "
        "uneven sidewalk; paving slab split",
        "Sidewalk panel lifted by tree roots; trip hazard; tripped and fell on the sidewalk; bricks missing; loose bricks wobble; "
        "brick walkway; wheelchair or stroller cannot pass the broken concrete; crumbling footway; panels; Sinkhole; "
        "sinkhole under the sidewalk; sink hole; the road has sunk",
        "Asphalt settled; sunken pavement; caving in; road collapsed; the ground is sinking; dip in the bike lane, depression; "
        "roadway has settled by the hydrant; road edge crumbled; tar; Catch basin; clogged catch basin; storm drain; "
        "storm drain blocked with leaves, silt; street floods when it rains; puddle",
        "Ponding; deep standing water at the crosswalk; drain backs up; grate missing, packed; sewers smell; sewer odor; "
        "water ponds, does not drain; please clean out the storm drain; Broken curb; curb crumbled, smashed; granite curb knocked loose; "
        "kerb; no curb between the sidewalk and the street",
        "Broken curb ramp; wheelchair ramp cracked; accessible ramp; curbstone; cobblestones coming up; cobbles; Faded crosswalk; "
        "crosswalk worn away; lane lines worn; pavement markings; zebra stripes gone; repaint the stop line; restripe the bike lane; "
        "pavement marking maintenance; painted lines invisible",
        "White lines gone; lanes; markings; Utility cut sinking; trench; trench patch sank; street left torn up; "
        "torn up sidewalk, not restored; tore up the sidewalk, loose asphalt instead of cement; bad patch; patched; "
        "steel plate loose, bangs; steel plates shift; open cut left in the road",
        "Who has to put the road back; Manhole; manhole cover loose, rattles, clanks, sits low; lid missing; casting; raised casting; "
        "sidewalk hatch cracked; bumpy; paving badly graded; gravel on the roadway; chips of stone on the sidewalk; "
        "the contractor should fix the paving; Pothole repair internal",
        "Sidewalk repair; roadway repair; highway maintenance; utility call-in; catchbasin; snow removal; bridge maintenance; "
        "utility casting repair; BWSC pothole; road defect; sidewalk panel; torn up; sunk; sinking; roadway; pavement crack; flooded road; "
        "Bache; hay un bache en la calle; acera rota; banqueta",
        "Hoyo en la calle; alcantarilla; calle hundida; buraco; buraco na rua; calçada quebrada; bueiro; nid de poule; trottoir; "
        "twou nan lari; buckled pavement in the alley roadway; broken road; broken pavement; heaved walkway; stumbled; walkway; rough road; "
        "edge of the road breaking off",
        "Asphalt breaking apart; drain inlet stopped up; clogged drain; flooded crosswalk; metal cover in the street bangs; "
        "crosswalk paint invisible; dip in pavement where water sits; ADA ramp; washed out; pot hole not filled",
    ),
)
