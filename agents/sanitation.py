"""Sanitation: waste, litter, dumping, rodents outdoors, and when the street is swept."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import Field

from agents.city.lookup import Found, Work
from agents.city.records import Case, Finding, Records, Site, Sweep, case_history, sweeping
from agents.city.tools import RecordId, counted, day, investigate, newest, prompt, tools_of
from agents.specialist import Specialist, Task
from contracts import Facts, Return


class SanitationFacts(Facts):
    """Counts, ids and dates of waste, rodents and sweeping at a place."""

    found: Found = Field(description="What the address led to.")
    cases: int = Field(ge=0, description="Sanitation cases on file.")
    open: int = Field(ge=0, description="How many of them are open.")
    newest: RecordId | None = Field(description="Newest open case, else the newest.")
    opened: dt.date | None = Field(description="Its opening day.")
    sweeping: dt.date | None = Field(description="Next sweeping day.")


class SanitationReturn(Return):
    """What sanitation hands back."""

    facts: SanitationFacts


def sanitation_cases(records: Records, site: Site, today: dt.date) -> Finding[Case]:
    """Find cases about waste, litter, dumping and rodents, open ones first, duplicates followed to their end."""
    return case_history(records, site, "sanitation")


def sweeping_schedule(records: Records, site: Site, today: dt.date) -> Finding[Sweep]:
    """Find when the street is swept, and the next date."""
    return sweeping(records, site, today)


QUERIES = (sanitation_cases, sweeping_schedule)


def weigh(work: Work) -> tuple[Sequence[str], str, SanitationFacts]:
    """Weigh the findings for the router."""
    cases, sweeps = (work.items(query) for query in QUERIES)
    live, last = [case for case in cases if case.is_open], newest(cases, "opened_at")
    swept = min((sweep.next for sweep in sweeps if sweep.next), default=None)
    parts = [f"{counted(cases, 'sanitation case')} at {work.label}, {len(live)} open", last.id if last else "", f"{work.as_of(sanitation_cases)}"]
    outcome = (
        f"{work.label}: {counted(cases, 'sanitation case')}, {len(live)} open"
        + (f", latest {last.id} {last.type}, opened {last.opened_at}, {last.outcome or last.status}" if last else "")
        + f". Next sweeping {swept or 'not known'}, {counted(sweeps, 'schedule')}. Cases {work.as_of(sanitation_cases)}, "
        + f"sweeping {work.as_of(sweeping_schedule)}."
    )
    facts = SanitationFacts(
        found=work.found,
        cases=len(cases),
        open=len(live),
        newest=last.id if last else None,
        opened=day(last.opened_at) if last else None,
        sweeping=swept,
    )
    return [part for part in parts if part], outcome, facts


async def run(task: Task) -> Return:
    """Look up sanitation cases and sweeping without a model."""
    return await investigate(task, QUERIES, weigh, on_streets=QUERIES)


def tools(task: Task) -> Sequence[Callable[..., Any]]:
    """Give a model the same queries."""
    return tools_of(task, *QUERIES)


sanitation = Specialist(
    name="sanitation",
    description="trash, litter, dumping, rats outdoors, street sweeping",
    returns=SanitationReturn,
    run=run,
    tools=tools,
    prompt=prompt("waste, litter, dumping, dumpsters, rodents outdoors, and street sweeping"),
    examples=(
        "Trash; trash not picked up; missed trash pickup; garbage not collected; recycling skipped; recycling not picked up; "
        "barrels still full on the curb; yard waste; leaf bags, cardboard left; trash day; trash truck never came; no trash pickup; "
        "missed collection; Dumping; illegal dumping",
        "Dumped a sofa; couch; furniture; tires, fridge, tv left on the sidewalk; junk; household rubbish dumped in the road; "
        "tenants dumped trash; construction debris; contractor left trash and debris all over; rubble thrown in street; tyres; Rats; "
        "rats in the yard; rat burrows; rodents",
        "Rodent problem in the alley; rats from the dumpster; rats under the porch, fence, shed; please bait; rat droppings; attracts rats; "
        "skunks, raccoons, gulls eat the trash; pigeons; burrows; Dumpster; overflowing dumpster; dumpster no cover, lid open; overfilled; "
        "not emptied; restaurant dumpster stinks",
        "Food waste; grease; swill; restaurant bins, barrels overflow; bins spilling over; stench; smells awful behind the building; "
        "maggots; flies; Litter; litter everywhere; litter basket; bin spilling over; street never swept; street sweeping; sweeping skipped; "
        "sweeper; nobody sweeps; street cleaning",
        "Glass and debris at the curb, in the road; gutters full of glass; dirty alley; bags piled on the sidewalk; "
        "Trash put out days early; improper storage of trash; bags loose, torn; garbage; garbage cans; no garbage cans; "
        "tenants should dispose of garbage; trash piles up; trash in yard, hallway",
        "Trash room; trash chute; rubbish; Dead animal; dead rat; dead raccoon, opossum, squirrel in the street; bulk item; "
        "bulky item pickup for an old sofa, armchairs, washing machine; appliance; mattress; discarded mattress in the street; "
        "mattresses thrown in yard; furniture left on move-in day",
        "Paint cans, electronics; Trash on vacant lot; lot heaped with garbage; overgrown yard, weeds and junk; unsanitary yard; "
        "poor condition of property; dog waste; feces; pile keeps growing; mess; debris; hole filled with rubbish; fill with trash bags; "
        "landlord removed the dumpster, trash on the ground",
        "CE collection; schedule a bulk item pickup; pick up dead animal; rodent activity; unsanitary conditions establishment; "
        "unsanitary conditions food; un-kept dumpster; request for litter basket installation; rat bite; pigeon infestation; "
        "big buildings online request; Basura; basura en la calle",
        "No recogieron la basura; ratas; ratas en el patio; lixo; lixo na rua; ratos; ordures; poubelles; fatra; restaurant kitchen dirty; "
        "unsanitary restaurant; compost; refuse; trash cans tipped over; garbage men; trash along the road by the house; smell; stinks; "
        "filth; diapers; black bags; vermin",
        "Roadkill; dumped a toilet; recycle truck skipped us; hasn't been collected; throw their lunch trash; people dump stuff; "
        "gutter full of filth; trash barrel; cleanup",
    ),
)
