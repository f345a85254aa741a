"""A small invented city of the same schema, the same on every machine, so that the desk works before any import."""

import datetime as dt
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from agents.city.records.addresses import split
from agents.city.records.layout import SOURCES
from agents.city.records.schema import Records, finish, open_records, writing

SEED = 311
CASES, VIOLATIONS, PERMITS, STREET_WORK = 1_660, 345, 172, 64
AREAS = ("Harborside", "Millbank", "Northgate", "Quarry Hill")
STREETS = (
    "Lantern St|Copperfield Ave|Tidewater Rd|Saltmarsh Way|Foundry Row|Juniper Ter|Kestrel Ave|Millrace St|Orchard Hill Rd|Quill St|Cooper St|"
    "Harrow Ave|Ropewalk St|Hollow Rd|Larkspur St|Granary Sq|E Wharton St|W Wharton St|Ferryman Ct|Mill St|Thistle Pl|Brickyard Rd|Saint Alban St"
).split("|")
HEROES = (
    "31 Lantern St|48-50 Harrow Ave|7 Saltmarsh Way|112 Foundry Row|130-130B Quill St|12 Copperfield Ave|225 Kestrel Ave|18 Ropewalk St|"
    "64 Tidewater Rd|9 Granary Sq|33 Cooper St|400-412 Orchard Hill Rd|15 Larkspur St|21A Millrace St|77 E Wharton St|5 Saint Alban St"
).split("|")
"""Buildings with records of every kind, for demonstrations and tests."""
TYPES = {
    "potholes": "Pothole Repair (Internal)|Sidewalk Repair (Make Safe)|Sidewalk Repair|Roadway Repair|Catchbasin|Utility Call-In",
    "permits": "Building Inspection Request|Illegal Occupancy|Contractors Complaint|Working Beyond Hours|Electrical|Exceeding Terms of Permit",
    "sanitation": "CE Collection|Rodent Activity|Empty Litter Basket|Overflowing or Un-kept Dumpster|Unsanitary Conditions - Food|Illegal Dumping",
    "housing": "Heat - Excessive Insufficient|Unsatisfactory Living Conditions|Bed Bugs|Mice Infestation - Residential|Egress|Illegal Rooming House",
    "": "Street Light Outages|Traffic Signal Repair|Tree Maintenance Requests|Parking Enforcement|Graffiti Removal|Noise Complaint",
}
CODES = (
    "105.1 Failure to Obtain Permit permits|111.1 Certificate of Occupancy permits|107.4 Failed to comply w permit term permits|"
    "116.2 Unsafe and Dangerous housing|102.8 Maintenance housing|1003.6 Means of Egress housing|903.5 Fire Protection Systems housing|"
    "1001.3.2 Testing & Certification housing|3307.1 Protection of Adj. Property housing"
).split("|")
INSPECTED = ("VIOISS: Violation Filed", "NOVIO: No Violation Found", "VIOCOR: Violation Corrected", "NOACC: Closed-No Access", "REINSP: Issues Found")
REPAIRED = ("Case Resolved surface patched", "Case Resolved picked up", "Case Noted sent to the district yard", "Case Resolved", "")
PERMIT_KINDS = (
    "Long Form/Alteration Permit ALT",
    "Short Form Bldg Permit SF",
    "Amendment to a Long Form A",
    "Use of Premises U",
    "Plumbing Permit PL",
)
HOLDERS = ("Bayline Gas", "Harbor Grid Electric", "Sample City Water & Sewer", "Northgate Telecom", "Keel & Sons Excavation")
WORK = ("NEW CONDUIT AND/OR MAIN/installation of gas main", "EMERGENCY/grade 1 leak", "MAINTENANCE/conduit repair", "SERVICE/new service connection")
DATED = dict.fromkeys(("sweeping", "buildings", "service_types"), "2025-03-01")
Row = dict[str, str]


def ensure_records(path: Path) -> Records:
    """Open the records database; on the first run make the sample city."""
    if not path.exists():
        make_sample(path)
    return open_records(path)


def make_sample(path: Path, seed: int = SEED) -> None:
    """Write the sample city in place of whatever database is at `path`."""
    with writing(path) as connection:
        for table, rows in sample_rows(seed).items():
            source = next(source for source in SOURCES if source.table == table)
            for row in rows:
                source.insert(connection, {column: "" for column in source.columns} | row)
        finish(connection, "sample", DATED)


def sample_rows(seed: int = SEED) -> dict[str, list[Row]]:
    """Return the rows of every table, by CSV column."""
    rng = random.Random(seed)
    buildings = list(_buildings(rng))
    heroes = buildings[: len(HEROES)]
    types = [
        {"type": name, "reason": "Sample", "subject": "Sample", "n_2015": "10", "specialist": who} for who in TYPES for name in TYPES[who].split("|")
    ]
    return {
        "buildings": buildings,
        "cases": list(_cases(rng, heroes, buildings)),
        "violations": list(_violations(rng, heroes, buildings)),
        "permits": [_permit(rng, number, _one_of(rng, heroes, buildings, number)) for number in range(PERMITS)],
        "street_work": [_street_work(rng, number, _one_of(rng, heroes, buildings, number)) for number in range(STREET_WORK)],
        "sweeping": list(_sweeping(rng)),
        "service_types": types,
    }


def _one_of(rng: random.Random, heroes: Sequence[Row], buildings: Sequence[Row], number: int) -> Row:
    """Serve each hero twice, then anyone."""
    return heroes[number % len(heroes)] if number < 2 * len(heroes) else rng.choice(buildings)


def _buildings(rng: random.Random) -> Iterator[Row]:
    """Yield the heroes, then four buildings on every street, one address with two ids and one address in two parts of the city."""
    addresses = [(address, address.split(" ", 1)[1]) for address in HEROES]
    for street in STREETS:
        for step in range(4):
            number = 11 + 38 * step + rng.randrange(0, 12, 2) + STREETS.index(street) % 2
            addresses.append((f"{number}-{number + 2} {street}" if step == 2 else f"{number} {street}", street))
    addresses += [("33 Cooper St", "Cooper St"), ("10 Mill St", "Mill St"), ("10 Mill St", "Mill St")]
    for index, (address, street) in enumerate(addresses):
        line = STREETS.index(street)
        away = index == len(addresses) - 1
        yield {
            "sam_id": str(900_100 + 7 * index),
            "address": address,
            "neighborhood": AREAS[(line + away) % len(AREAS)],
            "city": AREAS[(line + away) % len(AREAS)],
            "zip": f"0990{line % 4}",
            "ward": f"Ward {line % 9 + 1}",
            "land_use": "RC" if index % 5 < 2 else rng.choice(("R2", "R3", "R4", "A", "CM", "C")),
            "lat": f"{42.10 + 0.003 * line + 0.02 * away:.5f}",
            "lon": f"{-70.20 + 0.00009 * (split(address)[0] or 0):.5f}",
        }


def _cases(rng: random.Random, heroes: Sequence[Row], buildings: Sequence[Row]) -> Iterator[Row]:
    """Yield cases in order of opening; some are duplicates of earlier ones, also of duplicates."""
    owners = [owner for owner in TYPES if owner]
    past: list[Row] = []
    depth: Counter[str] = Counter()
    for index in range(CASES):
        opened = dt.datetime(2024, 1, 2, 7) + dt.timedelta(hours=5.2 * index, minutes=rng.randrange(60))
        planned = index < 2 * len(owners) * len(heroes)
        owner = owners[index // len(heroes) % len(owners)] if planned else rng.choices(owners, (34, 26, 26, 14))[0]
        home = heroes[index % len(heroes)] if planned else rng.choice(buildings)
        closure = rng.choice(INSPECTED if owner in ("permits", "housing") else REPAIRED)
        row = home | {"case_id": str(901_050_000_000 + 37 * index), "specialist": owner, "reason": owner.title()}
        row |= {"type": rng.choice(TYPES[owner].split("|")), "status": _open(rng, 0.18), "opened_at": opened.isoformat()}
        if not planned and owner == "potholes" and rng.random() < 0.25:
            crossing = sorted((home["address"].split(" ", 1)[1], rng.choice(STREETS)))
            row |= {"address": f"INTERSECTION {crossing[0]} & {crossing[1]}", "sam_id": ""}
        if not planned and rng.random() < 0.07:
            # Half of the time a duplicate again, so that chains of three and more arise.
            again = [item for item in past[-80:] if 0 < depth[item["case_id"]] < 3]
            earlier = rng.choice(again) if again and rng.random() < 0.5 else rng.choice(past[-20:])
            depth[row["case_id"]] = depth[earlier["case_id"]] + 1
            row = earlier | {"case_id": row["case_id"], "status": "closed", "opened_at": row["opened_at"]}
            number = earlier["case_id"]
            ways = (f"Duplicate of case #{number}", f"duplicate of {number[-7:]}", f"See case #{number}", "")
            closure = f"Duplicate of Existing Case {rng.choice(ways)}".strip()
        done = (opened + dt.timedelta(days=rng.randrange(1, 40))).isoformat()
        row["target_at"] = (opened + dt.timedelta(days=14)).isoformat()
        row["closure_reason"], row["closed_at"] = (closure, done) if row["status"] == "closed" else ("", "")
        past.append(row)
        yield row


def _violations(rng: random.Random, heroes: Sequence[Row], buildings: Sequence[Row]) -> Iterator[Row]:
    """Yield violations; every ninth is a further one of the case before it."""
    row: Row = {}
    for number in range(VIOLATIONS):
        code, _, rest = CODES[number % len(CODES)].partition(" ")
        description, _, owner = rest.rpartition(" ")
        if number % 9 != 8:
            day = dt.date(2016, 3, 1) + dt.timedelta(days=rng.randrange(3_280))
            row = _one_of(rng, heroes, buildings, number) | {"case_no": f"V9{10_000 + 11 * number}", "status_date": day.isoformat()}
        yield row | {"status": _open(rng, 0.3), "code": code, "description": description, "specialist": owner}


def _permit(rng: random.Random, number: int, home: Row) -> Row:
    kind, _, prefix = PERMIT_KINDS[number % len(PERMIT_KINDS)].rpartition(" ")
    issued = dt.date(2014, 5, 1) + dt.timedelta(days=rng.randrange(3_900))
    expires = issued + dt.timedelta(days=183) if number % 6 else dt.date(2030, 6, 30)
    row = home | {"permit_number": f"{prefix}9{20_000 + 13 * number}", "permit_type": kind, "description": "Interior work", "work_type": "INTREN"}
    row |= {"declared_valuation": f"{rng.randrange(2, 90)}000", "status": rng.choice(("Open", "Open", "Closed", ""))}
    return row | ({"issued_date": issued.isoformat(), "expiration_date": expires.isoformat()} if number % 11 else {})


def _street_work(rng: random.Random, number: int, home: Row) -> Row:
    category, _, notes = WORK[number % len(WORK)].partition("/")
    expires = (dt.date(2024, 6, 1) + dt.timedelta(days=rng.randrange(270))).isoformat()
    row = {"permit": f"{'EMER' if category == 'EMERGENCY' else 'EXCA'}-9{30_000 + 17 * number}", "project_category": category}
    row |= {"construction_notes": notes, "permittee": HOLDERS[number % len(HOLDERS)], "neighborhood": home["neighborhood"]}
    row |= {"address_1": str(split(home["address"])[0]), "street": home["address"].partition(" ")[2].upper(), "expiration_date": expires}
    return row | {"estimated_completion_date": min(expires, "2025-02-20"), "status": rng.choice(("PLATES PINNED & BERMED", "TOPPED TO GRADE"))}


def _sweeping(rng: random.Random) -> Iterator[Row]:
    for index, street in enumerate(STREETS):
        row = {"street": street, "from": STREETS[index - 1], "to": STREETS[(index + 1) % len(STREETS)], "start": "08:00", "end": "12:00"}
        row |= {"district_name": AREAS[index % len(AREAS)], "days": rng.choice(("Mon", "Tue", "Wed", "Thu", "Fri"))}
        row |= {"year_round": "t" if index % 8 == 0 else "f", "north_end_pilot": "t" if index % 5 == 0 else "f"}
        for side, weeks in ((0, "13"), (1, "24")):
            stretch = {"main_id": str(9_001 + 2 * index + side), "side": ("Odd", "Even")[side], "weeks": "12345" if index % 8 == 0 else weeks}
            yield row | stretch


def _open(rng: random.Random, share: float) -> str:
    return "open" if rng.random() < share else "closed"
