"""Sanitation: waste, litter, dumping, rodents outdoors, and when the street is swept."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import Field

from agents.lookup import Found, Work
from agents.records import Case, Finding, Records, Site, Sweep, case_history, sweeping
from agents.specialist import Specialist, Task
from agents.tools import RecordId, counted, day, investigate, newest, prompt, tools_of
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


def judge(work: Work) -> tuple[Sequence[str], str, SanitationFacts]:
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
    return await investigate(task, QUERIES, judge, on_streets=QUERIES)


def tools(task: Task) -> Sequence[Callable[..., Any]]:
    """Give a model the same queries."""
    return tools_of(task, *QUERIES)


sanitation = Specialist(
    name="sanitation",
    description="Trash, litter, dumping, dumpsters, rodents outdoors; street sweeping dates.",
    returns=SanitationReturn,
    run=run,
    tools=tools,
    prompt=prompt("waste, litter, dumping, dumpsters, rodents outdoors, and street sweeping"),
    examples=(
        "Trash bags are dumped by the fence and rats feed on them",
        "The dumpster behind the restaurant is overflowing",
        "Our street is never swept, when does the sweeper come?",
    ),
)
