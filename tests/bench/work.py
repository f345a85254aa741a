"""The scripted work that every peer does: seeded English records and prose, the same for all of them.

A turn is one specialist's work: two tool calls of about 1,500 tokens of records each and about 600 tokens of prose. Specialists take turns
in a fixed order, asks differ every time, and everything depends on the turn's number only.
"""

import random
from dataclasses import dataclass
from functools import cache

from tests.bench.counting import count

RECORD_TOKENS = 1_500
PROSE_TOKENS = 600
SPECIALISTS = {
    "permits": "Building permits: what was issued, to whom, for which work.",
    "housing": "Housing conditions: heat, water, mould, egress, orders to owners.",
    "sanitation": "Trash, dumping, rodents and missed collections.",
    "potholes": "Street and sidewalk defects, lighting, repair crews.",
}
GOAL = (
    "The tenants of 48 Oak Street report no heat since Tuesday, rats in the yard, a broken sidewalk at the entrance and building work on the third "
    "floor without a posted permit. Find out what the city has on file about each, what is still open, and who answers for it."
)
PROMPT = (
    "You supervise four offices of a city service desk. Send the case to one office at a time until everything the resident asked is answered, "
    "then finish with a short answer.\n" + "\n".join(f"- {name}: {text}" for name, text in SPECIALISTS.items())
)
ANSWER = (
    "Heat: an order is open and the owner has until the 14th. Rats: baiting was done twice, a third visit is booked. Sidewalk: repaired on the 3rd. "
    "Building work: one valid permit covers it; the posting was missing and is now in place."
)
_STREETS = ("Oak Street", "Elm Avenue", "Maple Court", "Harbor Road", "Linden Place", "Mill Lane", "Summer Street", "Quarry Hill")
_PEOPLE = ("M. Keane", "R. Alvarez", "T. Nguyen", "S. Okafor", "J. Lindqvist", "P. Marchetti", "D. Haddad", "A. Kowalski")
_THINGS = {
    "permits": (
        "a plumbing permit",
        "an electrical permit",
        "a permit for interior demolition",
        "a dumpster placement permit",
        "a gas fitting permit",
    ),
    "housing": ("no heat in the bedrooms", "a blocked rear exit", "mould around the bathroom window", "a cracked boiler flue", "no hot water"),
    "sanitation": (
        "rats under the bins",
        "bags torn open at the curb",
        "a missed collection",
        "building waste in the yard",
        "a mattress on the sidewalk",
    ),
    "potholes": (
        "a pothole at the crosswalk",
        "a lifted sidewalk panel",
        "a street light that is out",
        "a sunken utility cut",
        "a missing curb ramp",
    ),
}
_RECORDS = (
    "{id} {date} | {address} | {thing} | reported by phone, checked by {person}; {outcome}.",
    "{id} {date} | {address} | {person} found {thing} on the {floor} floor and left a notice; {outcome}.",
    "{id} {date} | {address} | request for {thing} filed online with two photographs, sent to {person}; {outcome}.",
    "{id} {date} | {address} | follow-up to {other}: {thing} seen again by {person}; {outcome}.",
)
_OUTCOMES = (
    "closed after the second visit",
    "open, the owner has fourteen days",
    "closed, no cause was found",
    "sent to the contractor, due next week",
    "open, nobody was at home",
    "closed, repaired on the same day",
)
_PROSE = (
    "The file for {address} shows {thing}, first recorded on {date} under {id}.",
    "{person} visited twice, and on the second visit the matter was {outcome}.",
    "Earlier entries, among them {other}, concern the neighbouring building and were left out of this summary.",
    "What the resident describes matches {id} in place and time, although the report speaks of the {floor} floor.",
    "There is no record that the owner answered the letter of {date}, so the period to respond has run out.",
    "In short, {thing} is {outcome}, and the next step lies with {person}.",
    "Nothing in the register suggests that this is connected with {other}, which was about another entrance.",
)


@dataclass(frozen=True)
class Turn:
    """What one specialist is asked, what its two tools give it, and what it writes."""

    n: int
    specialist: str
    ask: str
    records: tuple[str, str]
    prose: str
    headline: str
    outcome: str
    ref: str
    opened: str


def _slots(rng: random.Random, specialist: str) -> dict[str, str]:
    return {
        "id": f"{rng.choice('BPSHV')}-{rng.randrange(10_000, 99_999)}",
        "other": f"311-{rng.randrange(10**8, 10**9)}",
        "date": f"20{rng.randrange(19, 25)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
        "address": f"{rng.randrange(2, 240)} {rng.choice(_STREETS)}",
        "person": rng.choice(_PEOPLE),
        "thing": rng.choice(_THINGS[specialist]),
        "floor": rng.choice(("first", "second", "third", "top")),
        "outcome": rng.choice(_OUTCOMES),
    }


def _fill(rng: random.Random, specialist: str, patterns: tuple[str, ...], tokens: int, joint: str) -> str:
    lines: list[str] = []
    total = 0
    while total < tokens:
        line = rng.choice(patterns).format(**_slots(rng, specialist))
        lines.append(line)
        total += count(line + joint)
    return joint.join(lines)


@cache
def turn(n: int) -> Turn:
    """Return turn `n`, counted from 1."""
    rng = random.Random(f"desk {n}")
    specialist = list(SPECIALISTS)[(n - 1) % len(SPECIALISTS)]
    facts = _slots(rng, specialist)
    return Turn(
        n=n,
        specialist=specialist,
        ask=f"Look up {facts['thing']} at {facts['address']}, reported around {facts['date']}, and say what is still open.",
        records=(
            _fill(rng, specialist, _RECORDS, RECORD_TOKENS, "\n"),
            _fill(rng, specialist, _RECORDS, RECORD_TOKENS, "\n"),
        ),
        prose=_fill(rng, specialist, _PROSE, PROSE_TOKENS, " "),
        headline=f"{facts['thing'][0].upper()}{facts['thing'][1:]} at {facts['address']} {facts['outcome'].split(',')[0]}",
        outcome=(
            f"The register has {facts['id']} of {facts['date']} for {facts['thing']} at {facts['address']}; {facts['outcome']}. "
            f"{facts['person']} handled it; {facts['other']} is another entrance."
        ),
        ref=facts["id"],
        opened=facts["date"],
    )
