"""What a building was permitted and what it was cited for: permit history, and violations by severity."""

import datetime as dt
import re
from dataclasses import dataclass
from enum import StrEnum

from agents.city.records.findings import Finding, finding, joined, made, spoken
from agents.city.records.places import Site, at
from agents.city.records.schema import Records


class State(StrEnum):
    """Whether a permit still covers work."""

    ACTIVE = "active"
    EXPIRED = "expired"
    CLOSED = "closed"
    UNDATED = "undated"


@dataclass(frozen=True, slots=True)
class Permit:
    """One building permit."""

    id: str
    permit_type: str
    work_type: str
    comments: str
    declared_valuation: float | None
    issued_date: str
    expiration_date: str
    status: str
    state: State

    def line(self) -> str:
        """Return the permit in one line."""
        value = f"declared value {self.declared_valuation:.0f}" if self.declared_valuation else ""
        dates = f"issued {spoken(self.issued_date)}, expires {spoken(self.expiration_date)}"
        state = f"{self.state} (status {self.status or 'not stated'})"
        return joined(f"{self.id} {self.permit_type}", self.work_type, self.comments[:120], dates, state, value)


def permit_history(records: Records, site: Site, today: dt.date) -> Finding[Permit]:
    """Return the building permits of a site, newest first, each with whether it still covers work today."""
    condition, parameters = at(site)
    rows = records.rows(f"SELECT *, permit_number AS id FROM permits WHERE {condition} ORDER BY issued_date DESC, permit_number", parameters)
    permits = [made(Permit, row, state=permit_state(row["status"], row["expiration_date"], today)) for row in rows]
    return finding(records, "permits", "permit_history", "Permit history", site, permits, [f"active or expired as of {today}"])


def permit_state(status: str, expires: str, today: dt.date) -> State:
    """Judge a permit by its status and its last day."""
    if status == "closed":
        return State.CLOSED
    if not expires:
        return State.UNDATED
    return State.ACTIVE if expires >= today.isoformat() else State.EXPIRED


class Severity(StrEnum):
    """How much a violation endangers people; worst first."""

    DANGER = "danger"
    CONDITION = "condition"
    PAPERWORK = "paperwork"


_DANGER = re.compile(r"unsafe|danger|egress|exit|escape|fire|smoke|alarm|sprinkler|live parts|unlawful contin|stop work|locks and latches", re.I)
_PAPERWORK = re.compile(r"permit|certificat|right of entry|inspections?$|no use|testing|not permitted|referenced codes", re.I)
_ORDER = list(Severity)


def severity(code: str, description: str) -> Severity:
    """Judge a violation by its words; section 116 and 121 of the building code are about unsafe structures."""
    if _DANGER.search(description) or re.match(r"R?(116|121)\b", code, re.I):
        return Severity.DANGER
    return Severity.PAPERWORK if _PAPERWORK.search(description) else Severity.CONDITION


@dataclass(frozen=True, slots=True)
class Violation:
    """One cited violation; a case number may cover several."""

    id: str
    status_date: str
    status: str
    code: str
    description: str
    severity: Severity
    specialist: str
    address: str

    @property
    def is_open(self) -> bool:
        """Say whether it is open."""
        return self.status == "open"

    def line(self) -> str:
        """Return the violation in one line."""
        what = f"{self.description or 'no description'} (code {self.code})"
        owner = self.specialist and f"for {self.specialist}"
        return joined(f"{self.id} {what}: {self.status}", self.severity, f"status of {self.status_date}", owner, self.address)


def violations(records: Records, site: Site, *, open_only: bool = False, owner: str = "") -> Finding[Violation]:
    """Return the violations of a site: open ones first, then by severity, then newest first."""
    condition, parameters = at(site)
    rows = records.rows(
        f"SELECT *, case_no AS id FROM violations WHERE {condition} AND specialist LIKE ? ORDER BY status_date DESC, case_no",
        [*parameters, owner or "%"],
    )
    found = [made(Violation, row, severity=severity(row["code"], row["description"])) for row in rows if not open_only or row["status"] == "open"]
    found.sort(key=lambda item: (not item.is_open, _ORDER.index(item.severity)))
    return finding(records, "violations", "violations", "Open violations" if open_only else "Violations", site, found)
