"""Find the building, street or crossing that an address means."""

import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agents.city.records.addresses import Address, addresses_in
from agents.city.records.schema import Records

TEXT_SCANNED = 20_000
"""Characters of a text that are searched for addresses."""
SAME_SPOT = 120.0
"""Metres within which two entries of one address are one building."""
OTHER_SUFFIX = 5
"""Rank of an entry that has another street suffix; a lower rank fits better."""


@dataclass(frozen=True, slots=True)
class Site:
    """A building with every id and spelling it is filed under, or a street, or a crossing (`number` None)."""

    label: str
    street: str
    number: int | None = None
    cross: str = ""
    sam_ids: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    land_use: str = ""
    lat: float | None = None
    lon: float | None = None

    @property
    def is_building(self) -> bool:
        """Say whether it is one building and not a stretch of street."""
        return self.number is not None

    @property
    def filed(self) -> str:
        """Return how the city files it, in one line."""
        ids = f"address id {' and '.join(self.sam_ids)}" if self.sam_ids else "no address id"
        use = self.land_use and f"land use {self.land_use}"
        return ", ".join(part for part in (self.label, ids if self.is_building else "", use, " / ".join(self.areas).title()) if part)


@dataclass(frozen=True, slots=True)
class Located:
    """What an address led to: nothing on file, one site, or several that it may mean."""

    asked: str
    sites: tuple[Site, ...] = ()
    street: Site | None = None
    """The street, when only the house number is unknown."""
    similar: tuple[str, ...] = ()
    """What is on file and looks like it, when nothing was found."""


def locate_all(records: Records, text: str, context: str = "") -> tuple[Located, ...]:
    """Locate every address that a free text names, numbered ones first; parts of the city may be named in the text or its context."""
    text = text[:TEXT_SCANNED]
    hints = _parts_in(records, text) or _parts_in(records, context[:TEXT_SCANNED])
    return tuple(locate(records, address, hints) for address in addresses_in(text, records.streets))


def _parts_in(records: Records, text: str) -> list[str]:
    lowered = text.casefold()
    return [area for area in records.areas if area in lowered and re.search(rf"\b{re.escape(area)}\b", lowered)]


def locate(records: Records, address: Address, hints: Sequence[str] = ()) -> Located:
    """Find what an address means; `hints` are parts of the city named beside it, used only to choose among several."""
    if address.low is None:
        return Located(address.text, tuple(_street_site(records, address, street) for street in address.streets[:1]))
    if not address.streets:
        return Located(address.text, similar=tuple(name.title() for name in records.streets.similar(re.sub(r"^\S+\s+", "", address.text))))
    marks = ", ".join("?" * len(address.streets))
    on_street = records.rows(f"SELECT * FROM places WHERE street IN ({marks}) AND low IS NOT NULL", address.streets)
    ranked = sorted(((_rank(address, row), row) for row in on_street), key=lambda pair: pair[0])
    best = [row for rank, row in ranked if rank == ranked[0][0]] if ranked and ranked[0][0] <= OTHER_SUFFIX else []
    if not best:
        near = sorted(on_street, key=lambda row: abs(row["low"] - (address.low or 0)))
        similar = tuple(dict.fromkeys(row["address"] for row in near))[:3]
        return Located(address.text, street=_street_site(records, address, address.streets[0]), similar=similar)
    # The same plot is filed as 51 and as 51-53: take wider and narrower spellings of the spot along.
    exact = ranked[0][0] < OTHER_SUFFIX
    groups = _spots(best, [row for rank, row in ranked if exact and rank < OTHER_SUFFIX])
    sites = [_building(records, group, address.low) for group in groups]
    named = [site for site in sites if any(hint in area for hint in hints for area in site.areas)]
    return Located(address.text, tuple(named or sites))


def _rank(address: Address, row: sqlite3.Row) -> int:
    """Return how well a place answers an address: 0 the very spelling, 1 to 4 the same plot, 5 another suffix, 9 not at all."""
    low, high = address.low or 0, address.high or 0
    if row["low"] == low and row["high"] == high and row["suffix"] == address.suffix:
        return 0
    if row["low"] > high or row["high"] < low:
        return 9
    asked, filed = address.suffix.split("-"), row["suffix"].split("-")
    if row["suffix"] != address.suffix and not ("-" in row["suffix"] and filed[0] <= asked[0] <= filed[-1]):
        if row["low"] == row["high"] and low == high:
            return OTHER_SUFFIX
    if row["low"] == row["high"] == low == high:
        return 1
    if row["low"] == low or row["high"] == high:
        return 2
    parity = {row["low"] % 2, row["high"] % 2, low % 2, high % 2}
    return 3 if len(parity) == 1 else 4 if row["low"] % 2 != row["high"] % 2 else 9


def _spots(best: Iterable[sqlite3.Row], others: Iterable[sqlite3.Row]) -> list[list[sqlite3.Row]]:
    """Group entries that are one building: a shared id, or a few metres apart, or (without a point) the same part of the city."""
    groups: list[list[sqlite3.Row]] = []
    located = sorted(best, key=lambda row: (row["lat"] is None, row["place"], row["sam_id"]))
    for row in located:
        home = next((group for group in groups if any(_same_spot(row, other) for other in group)), None)
        if home is None:
            groups.append([row])
        else:
            home.append(row)
    for row in others:
        for group in groups:
            if row not in group and any(_same_spot(row, other) for other in group):
                group.append(row)
                break
    return groups


def _same_spot(one: sqlite3.Row, two: sqlite3.Row) -> bool:
    if one["street"] != two["street"]:
        return False
    if one["sam_id"] and one["sam_id"] == two["sam_id"]:
        return True
    if one["lat"] is not None and two["lat"] is not None:
        return metres(one["lat"], one["lon"], two["lat"], two["lon"]) <= SAME_SPOT
    areas = {one["area"], two["area"]}
    return len(areas) == 1 or bool(areas & {"", "boston"}) or any(a in b for a in areas for b in areas if a != b)


def _building(records: Records, group: Sequence[sqlite3.Row], number: int) -> Site:
    ids = tuple(dict.fromkeys(row["sam_id"] for row in group if row["sam_id"]))
    point = next((row for row in group if row["lat"] is not None), None)
    uses = records.rows(f"SELECT land_use FROM buildings WHERE sam_id IN ({', '.join('?' * len(ids))})", ids)
    spellings = tuple(dict.fromkeys(row["address"] for row in group))
    areas = tuple(dict.fromkeys(row["area"] for row in group if row["area"]))
    return Site(
        label=re.sub(r"-?\s+", " ", spellings[0]),
        street=group[0]["street"],
        number=number,
        sam_ids=ids,
        places=tuple(dict.fromkeys(row["place"] for row in group)),
        areas=areas,
        land_use=next((row["land_use"] for row in uses if row["land_use"]), ""),
        lat=point["lat"] if point else None,
        lon=point["lon"] if point else None,
    )


def _street_site(records: Records, address: Address, street: str) -> Site:
    if not address.cross:
        return Site(label=street.title(), street=street)
    pair = sorted((street, address.cross[0]))
    found = records.rows("SELECT lat, lon FROM places WHERE street = ? AND cross_street = ? AND lat IS NOT NULL", pair)
    point = (found[0]["lat"], found[0]["lon"]) if found else (None, None)
    return Site(label=f"{street} & {address.cross[0]}".title(), street=street, cross=address.cross[0], lat=point[0], lon=point[1])


def at(site: Site) -> tuple[str, list[Any]]:
    """Return the SQL condition, with its parameters, for records of a site in any table with an address."""
    if site.is_building:
        ids, places = ", ".join("?" * len(site.sam_ids)), ", ".join("?" * len(site.places))
        return f"(sam_id IN ({ids}) OR (sam_id = '' AND place IN ({places})))", [*site.sam_ids, *site.places]
    if site.cross:
        return "((street = ? AND cross_street = ?) OR (cross_street = ? AND street = ?))", [site.street, site.cross] * 2
    return "(street = ? OR cross_street = ?)", [site.street, site.street]


def metres(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """Return the distance of two near points in metres (equirectangular, good to a metre within a city)."""
    north = (lat - other_lat) * 111_195
    east = (lon - other_lon) * 111_195 * math.cos(math.radians(lat))
    return math.hypot(north, east)
