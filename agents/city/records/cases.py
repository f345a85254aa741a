"""Service requests: history of a site, conditions near a point, inspection outcomes, duplicates followed to their end."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agents.city.records.findings import Finding, finding, joined, made, spoken
from agents.city.records.places import Site, at, metres
from agents.city.records.schema import Records

NEAR = 80.0
"""Metres from a building within which a case is beside it."""
OUTCOMES = {
    "VIOISS": "violation filed",
    "VIOLFND": "violation found",
    "VIOCOR": "violation corrected",
    "CORR": "corrected",
    "ABATED": "abated",
    "TICKET": "ticket issued",
    "NOVIO": "no violation found",
    "NOBASE": "no basis for the complaint",
    "NOACC": "closed, inspector had no access",
    "TFA": "closed, tenant was not there",
    "REINSP": "issues found, to be inspected again",
    "ROA": "referred to another agency",
    "PERMIS": "permit issued",
    "CLOSED": "closed, no permit",
    "TSOP": "stop of work posted",
    "ADCLSD": "closed administratively, no outcome stated",
}
_REFERS = re.compile(r"\bduplicates?\b|\bsee (?:case|crm)|\brefer to\b|\bfollow case|already been registered|\bnew case\b|\bentered in\b", re.I)
_DUPLICATE = re.compile(r"\bduplicates?\b|already been registered", re.I)
_REFERENCE = re.compile(r"(?<![A-Za-z\d])(\d{6,9}|\d{12})(?!\d)")

_WHOLE_ID = re.compile(r"(?<!\d)\d{12}(?!\d)")
_SELECT = "SELECT *, case_id AS id FROM cases"


@dataclass(frozen=True, slots=True)
class Case:
    """One service request."""

    id: str
    type: str
    status: str
    opened_at: str
    closed_at: str
    target_at: str
    closure_reason: str
    specialist: str
    address: str
    sam_id: str
    place: str
    distance: float | None = None
    """Metres from the point that was asked about."""

    @property
    def is_open(self) -> bool:
        """Say whether it is open."""
        return self.status == "open"

    @property
    def outcome(self) -> str:
        """Return what the closing code of an inspection means, or ''."""
        return OUTCOMES.get(self.closure_reason.partition(":")[0], "") if ":" in self.closure_reason else ""

    def line(self) -> str:
        """Return the case in one line."""
        end = f"closed {self.closed_at}" if self.closed_at else f"due {spoken(self.target_at)}" if self.is_open else ""
        away = "" if self.distance is None else f"{self.distance:.0f} m away"
        said = self.outcome or self.closure_reason[:200] or ("" if self.is_open else "no reason given")
        return joined(f"{self.id} {self.type}: {self.status}", f"opened {self.opened_at}", end, said, self.address, away)


class How(StrEnum):
    """How the end of a chain of duplicates is known."""

    STATED = "stated"
    INFERRED = "inferred"
    OFF_FILE = "off_file"
    UNKNOWN = "unknown"
    CIRCULAR = "circular"


@dataclass(frozen=True, slots=True)
class Chain:
    """Where a case that refers to another one leads."""

    ids: tuple[str, ...]
    end: Case | None
    how: How

    def note(self) -> str:
        """Return the chain in one line."""
        path = " -> ".join(self.ids)
        if self.how is How.OFF_FILE:
            return f"refers on: {path}; the last one is not on file"
        if self.how is How.CIRCULAR:
            return f"refers on: {path}; the records point at each other, none is the live one"
        if self.end is None:
            return f"refers on: {path}; closed as a duplicate, the other case is not named and none like it is on file"
        sure = "" if self.how is How.STATED else " (not stated; same kind and address)"
        return f"refers on: {path}{sure}; the last one is {self.end.status}"


def find_case(records: Records, case_id: str) -> Case | None:
    """Return one case, or None when it is not on file."""
    rows = records.rows(f"{_SELECT} WHERE case_id = ?", (case_id,))
    return made(Case, rows[0]) if rows else None


def case_history(records: Records, site: Site, owner: str = "") -> Finding[Case]:
    """Return the cases of a site, open ones first, with a note for each that refers to another; `owner` limits them to one specialist's."""
    condition, parameters = at(site)
    rows = records.rows(
        f"{_SELECT} WHERE {condition} AND specialist LIKE ? ORDER BY status = 'open' DESC, opened_at DESC, case_id",
        [*parameters, owner or "%"],
    )
    cases = [made(Case, row) for row in rows]
    return finding(records, "cases", "case_history", f"{owner or 'all'} cases".capitalize(), site, cases, chain_notes(records, cases))


def conditions_near(records: Records, site: Site, owner: str = "potholes", radius: float = NEAR) -> Finding[Case]:
    """Return the owner's cases within `radius` metres of a site, or those of the street when the site is no point."""
    if site.lat is None or site.lon is None:
        return case_history(records, site, owner)
    north, east = radius / 111_000, radius / (111_000 * math.cos(math.radians(site.lat)))
    box = (owner, site.lat - north, site.lat + north, site.lon - east, site.lon + east)
    rows = records.rows(f"{_SELECT} WHERE specialist = ? AND lat BETWEEN ? AND ? AND lon BETWEEN ? AND ?", box)
    near = [made(Case, row, distance=metres(site.lat, site.lon, row["lat"], row["lon"])) for row in rows]
    cases = sorted((case for case in near if (case.distance or 0) <= radius), key=lambda case: (not case.is_open, case.distance, case.id))
    return finding(records, "cases", "street_conditions", f"Street cases within {radius:.0f} m", site, cases, chain_notes(records, cases))


def inspections(records: Records, site: Site, owner: str = "") -> Finding[Case]:
    """Return the cases of a site whose closing code states an inspection's outcome, newest first."""
    found = case_history(records, site, owner)
    seen = sorted((case for case in found.items if case.outcome), key=lambda case: case.closed_at, reverse=True)
    return finding(records, "cases", "inspection_report", "Inspection outcomes", site, seen)


def chain_notes(records: Records, cases: Iterable[Case], most: int = 20) -> list[str]:
    """Return a line for each of the cases that refers to another one."""
    chains = (follow(records, case) for case in cases if _REFERS.search(case.closure_reason))
    return [chain.note() for chain in chains if chain][:most]


def trace(records: Records, text: str, most: int = 6) -> Finding[Case] | None:
    """Follow the cases whose numbers a text names to the ones that count; None when it names none."""
    numbers = tuple(dict.fromkeys(_WHOLE_ID.findall(text)))[:most]
    notes, cases = [], []
    for number in numbers:
        case = find_case(records, number)
        chain = follow(records, case) if case else None
        notes.append(chain.note() if chain else f"{number} refers to no other case" if case else f"there is no case {number} on file")
        cases += [found for found in (case, chain and chain.end) if found]
    return Finding("case_trace", "Cases named", "", "311 service requests", records.as_of("cases"), tuple(cases), tuple(notes)) if numbers else None


def follow(records: Records, case: Case) -> Chain | None:
    """Follow a case that was closed as a duplicate, or sent on, to the case that counts; None when it refers to no other."""
    ids, here, how = [case.id], case, How.STATED
    while _REFERS.search(here.closure_reason):
        duplicate = bool(_DUPLICATE.search(here.closure_reason))
        written = [number for number in _REFERENCE.findall(here.closure_reason) if not here.id.endswith(number)]
        following = next((found for number in written if (found := _resolve(records, number, here.id))), None)
        if duplicate and not written:
            following, how = _live_twin(records, here, ids), How.INFERRED
        if following is None and (written or duplicate):
            return Chain((*ids, *written[:1]), None, How.OFF_FILE if written else How.UNKNOWN)
        if following is None:
            break
        if following.id in ids:
            return Chain((*ids, following.id), None, How.CIRCULAR)
        ids.append(following.id)
        here = following
    return Chain(tuple(ids), here, how) if len(ids) > 1 else None


def _resolve(records: Records, number: str, own: str) -> Case | None:
    """Find the case that a written number means: whole, its last digits, or first three and last six digits."""
    rows = records.rows(f"{_SELECT} WHERE case_id LIKE ? AND case_id != ? LIMIT 2", (f"%{number}", own))
    if not rows and len(number) == 9:
        rows = records.rows(f"{_SELECT} WHERE case_id LIKE ? AND case_id != ? LIMIT 2", (f"{number[:3]}%{number[3:]}", own))
    return made(Case, rows[0]) if len(rows) == 1 else None


def _live_twin(records: Records, case: Case, seen: Sequence[str]) -> Case | None:
    """Return the case of the same kind and place that is not itself a duplicate: an open one, else the oldest."""
    rows = records.rows(
        f"{_SELECT} WHERE type = ? AND (place = ? OR (sam_id != '' AND sam_id = ?)) AND place != '' ORDER BY status = 'open' DESC, opened_at",
        (case.type, case.place, case.sam_id),
    )
    twins = (made(Case, row) for row in rows if row["case_id"] not in seen and not _DUPLICATE.search(row["closure_reason"]))
    return next((twin for twin in twins if twin.is_open or twin.opened_at <= case.opened_at), None)
