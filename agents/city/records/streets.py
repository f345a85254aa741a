"""Streets: work permits and who must restore the surface, and the sweeping schedule with its next date."""

import datetime as dt
from dataclasses import dataclass

from agents.city.records.findings import Finding, finding, joined, made, spoken
from agents.city.records.places import Site
from agents.city.records.schema import Records

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
CLOSE = 40
"""House numbers within which a permit counts as in front of a building."""


@dataclass(frozen=True, slots=True)
class StreetWork:
    """One permit to open a street."""

    id: str
    project_category: str
    construction_notes: str
    permittee: str
    contractor: str
    low: int | None
    high: int | None
    street_name: str
    cross_street: str
    from_street: str
    to_street: str
    expiration_date: str
    status: str
    near: bool
    """Its stretch lies in front of the building asked about."""

    @property
    def stretch(self) -> str:
        """Return where on the street it is."""
        numbers = "" if self.low is None else f"at {self.low}" if self.high in (None, self.low) else f"at {self.low}-{self.high}"
        between = f"from {self.from_street} to {self.to_street}" if self.from_street and self.to_street else ""
        cross = self.cross_street and f"at {self.cross_street}"
        return " ".join(part for part in (numbers or "on", self.street_name.title(), between, cross) if part)

    def line(self) -> str:
        """Return the permit in one line, with the party that must restore the surface."""
        work = joined(self.project_category.capitalize(), self.construction_notes.capitalize()) or "Work not stated"
        other = f" (contractor {self.contractor})" if self.contractor not in ("", self.permittee) else ""
        state = joined(f"expires {spoken(self.expiration_date)}", self.status.lower() and f"state {self.status.lower()}")
        return joined(f"{self.id} {work}", self.stretch, state, f"must restore the surface: {self.permittee or 'holder not stated'}{other}")


def street_work(records: Records, site: Site) -> Finding[StreetWork]:
    """Return the work permits on a site's street, those in front of the building first; the permit holder must restore."""
    rows = records.rows(
        "SELECT *, permit AS id FROM street_work WHERE street IN (?, ?) OR (cross_street = ? AND street = ?) ORDER BY expiration_date DESC, permit",
        (site.street, site.street.removesuffix(" st"), site.street, site.cross),
    )
    found = [made(StreetWork, row, near=_in_front(site.number, row["low"], row["high"])) for row in rows]
    found.sort(key=lambda work: not work.near)
    notes = ["whoever holds the permit must restore the surface; without a permit on file the city repairs it"]
    return finding(records, "street_work", "street_work", "Street work permits", site, found, notes)


def _in_front(number: int | None, low: int | None, high: int | None) -> bool:
    return number is not None and low is not None and low - CLOSE <= number <= (high or low) + CLOSE


@dataclass(frozen=True, slots=True)
class Sweep:
    """One stretch of a sweeping schedule."""

    id: str
    street_name: str
    side: str
    from_street: str
    to_street: str
    starts: str
    ends: str
    weeks: str
    days: str
    year_round: int
    next: dt.date | None
    """Next sweeping day, or None when the schedule names no weekday or week."""

    def line(self) -> str:
        """Return the stretch in one line."""
        stretch = joined(self.street_name, self.side and f"{self.side} side", f"{self.from_street} to {self.to_street}" if self.from_street else "")
        weeks = "every week" if self.weeks == "12345" else f"weeks {' and '.join(self.weeks)} of the month" if self.weeks else "weeks not stated"
        season = "all year" if self.year_round else "not in winter"
        when = f"next {self.next:%a %Y-%m-%d}" if self.next else "next date cannot be told"
        return joined(f"schedule {self.id}: {stretch}", self.days or "days not stated", weeks, f"{self.starts}-{self.ends}", season, when)


def sweeping(records: Records, site: Site, today: dt.date) -> Finding[Sweep]:
    """Return the sweeping schedule of a site's street; for a building only its side and part of the city, where these are told."""
    rows = records.rows("SELECT *, main_id AS id FROM sweeping WHERE street = ? ORDER BY CAST(main_id AS INTEGER)", (site.street,))
    local = [row for row in rows if any(part.strip() and part.strip() in area for part in row["area"].split("/") for area in site.areas)]
    found = []
    for row in local or rows:
        side = row["side"].lower()
        if site.number is not None and side in ("odd", "even") and (side == "odd") != (site.number % 2 == 1):
            continue
        upcoming = next_sweeping(row["weeks"], row["days"], bool(row["year_round"]), bool(row["long_season"]), today)
        found.append(made(Sweep, row, next=upcoming))
    found.sort(key=lambda sweep: sweep.next or dt.date.max)
    notes = [f"next dates counted from {today}; holidays and snow emergencies are not known here"]
    return finding(records, "sweeping", "sweeping", "Street sweeping", site, found, notes)


def next_sweeping(weeks: str, days: str, year_round: bool, long_season: bool, today: dt.date) -> dt.date | None:
    """Return the next sweeping day, today included; weeks '24' are the 2nd and 4th such weekday of a month.

    Season: April to November, March to December where `long_season` says so (the inner districts), else all year.
    """
    wanted = {DAYS.index(day) for day in days.split() if day in DAYS}
    months = range(1, 13) if year_round else range(3, 13) if long_season else range(4, 12)
    if not wanted or not weeks:
        return None
    for ahead in range(400):
        day = today + dt.timedelta(days=ahead)
        if day.weekday() in wanted and str((day.day - 1) // 7 + 1) in weeks and day.month in months:
            return day
    return None
