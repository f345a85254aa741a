"""What the four specialists share: a look-up stored and reported without a model, and the same queries as tools for one."""

import asyncio
import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

from pydantic import StringConstraints

from agents.city.filing import filing_tool, with_filing
from agents.city.lookup import MAX_SITES, Found, Query, Work, look_up
from agents.city.records import RECORDS_FILE, Finding, ensure_records, locate_all
from agents.specialist import Task
from contracts import Facts, Return, Status, clip
from contracts.returns import HEADLINE, MAX_ARTIFACTS

RecordId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,24}$", max_length=24)]
SHOWN_TOKENS = 1_200
"""Tokens of a finding that a model is shown; the whole is stored."""
Weigh = Callable[[Work], tuple[Sequence[str], str, Facts]]
"""From what was looked up to the parts of the headline (most needed first), the outcome for the router, and the facts."""


async def investigate(task: Task, queries: Sequence[Query], weigh: Weigh, on_streets: Sequence[Query] = ()) -> Return:
    """Do a specialist's work without a model: look up, store, report. `on_streets` are the queries that need no house number."""
    work = await asyncio.to_thread(look_up, task, queries, on_streets)
    handles = [await task.put(text, kind=kind, description=description) for kind, description, text in bodies(work)]
    parts, outcome, facts = weigh(work)
    if not work.results:
        said = {Found.UNKNOWN: f"no building found at {work.label}", Found.AMBIGUOUS: f"several places are called {work.label}"}
        parts = [said.get(work.found, "no address that can be looked up")]
        outcome = f"Nothing could be searched. {work.question or ' '.join(work.searches) or parts[0]}"
    elif work.searches:
        parts, outcome = [f"{work.searches[0].split(';')[0].rstrip('.')}, but {parts[0]}", *parts[1:]], f"{work.searches[0]} {outcome}"
    if work.left:
        outcome = f"Not looked up, ask again for: {', '.join(work.left)}. {outcome}"
    unsure = work.left or work.found in (Found.AMBIGUOUS, Found.MISSING)
    status = Status.BLOCKED if work.question else Status.PARTIAL if unsure else Status.DONE
    found = task.returned(status, fitted(parts), outcome, facts, handles, [work.question] if work.question else [])
    places = max(map(len, work.results.values()), default=0)
    return await with_filing(task, found, work.label if places == 1 else "")


def bodies(work: Work) -> list[tuple[str, str, str]]:
    """Return kind, description and text of what to store: one artifact for each finding while they fit, else one for each place."""
    every = [finding for findings in work.results.values() for finding in findings]
    full = [finding for finding in every if finding.items or finding.kind == "case_trace"]
    lines = [*work.searches, *(f"{finding.summary} ({finding.source})." for finding in every if finding not in full)]
    found = [(finding.kind, f"{counted(finding.items, 'record')}: {finding.title}", finding.text()) for finding in full]
    if len(found) >= MAX_ARTIFACTS:
        groups: dict[str, list[Finding[Any]]] = {}
        for finding in full:
            groups.setdefault(finding.where, []).append(finding)
        found = [("place_report", f"everything found: {where}", "\n".join(item.text() for item in group)) for where, group in groups.items()]
    if lines or not found:
        head = "Searches without a record. The searches ran; this is a result, not an error."
        text = "\n- ".join([head, *(lines or [work.question or "no address to search"])])
        found.append(("search_record", f"searches without a record: {work.label or 'no address'}", f"{text}\n"))
    return found


def fitted(parts: Sequence[str]) -> str:
    """Join as many parts of a headline as its cap allows."""
    text = HEADLINE.cut(parts[0])
    for part in parts[1:]:
        longer = f"{text}, {part}"
        text = longer if HEADLINE.cut(longer) == longer else text
    return text


def newest(items: Iterable[Any], field: str) -> Any | None:
    """Return the item with the latest date in a field, open ones preferred."""
    return max(items, key=lambda item: (getattr(item, "is_open", False), getattr(item, field), item.id), default=None)


def counted(items: Sequence[Any], noun: str) -> str:
    """Return how many there are, with the noun in its number."""
    return f"{len(items)} {noun if len(items) == 1 else noun + 's'}"


def day(date: str) -> dt.date | None:
    """Return a date of the records as a fact."""
    return dt.date.fromisoformat(date) if date else None


def prompt(field: str) -> str:
    """Return the system prompt of a specialist that answers from records."""
    return (
        f"You look up city records on {field}. Use your tools for each address in the ask. Report only what they return, with record ids and "
        "'as of' dates; no record is a finding. If nothing can be looked up, hand back blocked with one question to the resident."
    )


def tools_of(task: Task, *queries: Query) -> list[Callable[..., Any]]:
    """Return the queries as tools for a model: each takes an address, stores the whole finding, and returns its head."""
    return [*(_bound(task, query) for query in queries), *filing_tool(task)]


def _bound(task: Task, query: Query) -> Callable[..., Any]:
    def search(address: str) -> tuple[str, str, str]:
        records = ensure_records(task.home / RECORDS_FILE)
        located = locate_all(records, address, task.goal)
        sites = [site for item in located for site in (item.sites or ((item.street,) if item.street else ()))]
        findings = [query(records, site, task.today) for site in sites[:MAX_SITES]]
        if not findings:
            similar = "".join(f" On file: {', '.join(item.similar)}." for item in located if item.similar)
            return "search_record", f"no building found: {address}", f"No building or street found at {address}.{similar}\n"
        return findings[0].kind, f"records: {findings[0].title}", "\n".join(finding.text() for finding in findings)

    async def tool(address: str) -> str:
        kind, description, text = await asyncio.to_thread(search, address)
        handle = await task.put(text, kind=kind, description=description)
        return f"Stored as {handle.alias}.\n{clip(text, tokens=SHOWN_TOKENS)}"

    tool.__name__ = query.__name__
    tool.__doc__ = f"{query.__doc__} Give one street address, or a street or crossing; the whole finding is stored and its alias returned."
    return tool
