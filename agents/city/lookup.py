"""Find what a task is about and run a specialist's queries there; nothing is stored and no model is asked."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agents.city.records import RECORDS_FILE, Finding, Located, Records, Site, ensure_records, locate_all, trace
from agents.specialist import Task

Query = Callable[[Records, Site, dt.date], Finding[Any]]
"""A question about a site; its name and docstring are those of the tool that a model sees."""
MAX_SITES = 6
"""Buildings that one step looks up; the others are named as left."""


class Found(StrEnum):
    """What the address of a task led to."""

    BUILDING = "building"
    STREET = "street"
    AMBIGUOUS = "ambiguous"
    UNKNOWN = "unknown"
    MISSING = "missing"


@dataclass(frozen=True)
class Work:
    """What was looked up for one task."""

    found: Found
    label: str
    """The place or places, in a few words."""
    results: Mapping[str, Sequence[Finding[Any]]]
    """Findings by name of the query, one for each site."""
    searches: tuple[str, ...] = ()
    """Searches that found nothing, each in one line."""
    question: str = ""
    left: tuple[str, ...] = ()
    """Places that were too many for one task."""

    def items(self, query: Query) -> list[Any]:
        """Return the records of a query over all sites, each once: near two sites is still one, two codes of one violation are two."""
        found: dict[tuple[str, str], Any] = {}
        for item in (item for finding in self.results.get(query.__name__, ()) for item in finding.items):
            found.setdefault((item.id, getattr(item, "code", "")), item)
        return list(found.values())

    def as_of(self, query: Query) -> str:
        """Return up to when the source of a query is known."""
        return next((f"as of {finding.as_of}" for finding in self.results.get(query.__name__, ())), "not searched")


def look_up(task: Task, queries: Sequence[Query], on_streets: Sequence[Query]) -> Work:
    """Run the queries on every place that the task is about."""
    records = ensure_records(task.home / RECORDS_FILE)
    located = places_of(records, task)
    sites: dict[str, Site] = {}
    searches, unclear = [], []
    for item in located:
        if len(item.sites) > 1 and not task.answers:
            unclear.append(item)
        if not item.sites:
            similar = f"; on file are {', '.join(item.similar)}" if item.similar else ""
            searches.append(f"No building found at {item.asked}{similar}.")
        fallback = (item.street,) if item.street and not item.sites else ()
        for site in () if item in unclear else item.sites or fallback:
            if site.is_building or on_streets:
                sites.setdefault(site.places[0] if site.places else site.label, site)
    built = {site.street for site in sites.values() if site.is_building}
    chosen = [site for site in sites.values() if site.is_building or site.street not in built]
    results: dict[str, list[Finding[Any]]] = {}
    for site in chosen[:MAX_SITES]:
        for query in queries if site.is_building else on_streets:
            results.setdefault(query.__name__, []).append(query(records, site, task.today))
    if traced := trace(records, f"{task.ask} {task.goal}"):
        results["trace"] = [traced]
    names = [site.label for site in chosen] or [item.asked for item in located]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return Work(
        found=Found.BUILDING if built else Found.STREET if chosen else Found.AMBIGUOUS if unclear else Found.UNKNOWN if searches else Found.MISSING,
        label=names[0] + more if names else "",
        results=results,
        searches=tuple(searches),
        question=question(unclear, bool(results or searches or task.answers), located),
        left=tuple(site.label for site in chosen[MAX_SITES:]),
    )


def places_of(records: Records, task: Task) -> tuple[Located, ...]:
    """Locate what the ask names; else what its criteria or the goal name; else the address of a case named there."""
    said = " ".join(answer for _, answer in task.answers)
    ask = f"{task.ask} {said}"
    texts = [ask] if "…" not in task.ask else [said]
    for text in (*texts, "\n".join(text for _, text in task.criteria), task.goal):
        if located := locate_all(records, text, f"{ask} {task.goal}"):
            return located
    named = trace(records, f"{ask} {task.goal}")
    return tuple(
        located for case in (named.items if named else ()) for located in locate_all(records, case.address.replace("INTERSECTION", ""), case.place)
    )


def question(unclear: Sequence[Located], searched: bool, located: Sequence[Located]) -> str:
    """Return what only the resident can say, or ''."""
    if unclear:
        areas = " or ".join(dict.fromkeys((site.areas or ("an unnamed part of the city",))[0].title() for site in unclear[0].sites))
        return f"There are several {unclear[0].asked}: {areas}. Which one is it?"
    if searched:
        return ""
    return f"Which house number is it about, near {located[0].asked}?" if located else "Which address or street is it about?"
