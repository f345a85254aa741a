"""Addresses as city files and people write them."""

import time

import pytest

from agents.city.records.addresses import Streets, addresses_in, split, street_key

STREETS = Streets(
    [
        "lantern st",
        "blue heron ave",
        "e wharton st",
        "w wharton st",
        "n st",
        "north st",
        "mill st",
        "st alban st",
        "dudgeon st",
        "harrow ave",
        "broadway",
        "e fifth st",
    ]
)


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("51-53 Lantern St", (51, 53, "", "lantern st", "")),
        ("1826-1824 Lantern St", (1824, 1826, "", "lantern st", "")),
        ("130-130B LANTERN Street", (130, 130, "-b", "lantern st", "")),
        ("554-  LANTERN St.", (554, 554, "", "lantern st", "")),
        ("14HF Lantern St", (14, 14, "hf", "lantern st", "")),
        ("INTERSECTION Mill St & Harrow Av", (None, None, "", "harrow ave", "mill st")),
        ("-", (None, None, "", "", "")),
        ("", (None, None, "", "", "")),
    ],
)
def test_city_file_addresses_split(written: str, parts: tuple[object, ...]) -> None:
    assert split(written) == parts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Harrow Av", "HARROW AVENUE"),
        ("Saint Alban St", "St. Alban Street"),
        ("East Wharton St", "E Wharton ST"),
        ("E 5th St", "east fifth street"),
        ("Mt Hope Rd", "Mount Hope Road"),
    ],
)
def test_spellings_of_a_street_are_one(one: str, other: str) -> None:
    assert street_key(one) == street_key(other)


def test_a_letter_street_is_not_a_direction() -> None:
    assert street_key("N St") != street_key("North St")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("rats at 31 Lantern Street, apt 3", [(31, ("lantern st",))]),
        ("12, 14 and 16 Mill St; also 7 Lantern", [(12, ("mill st",)), (14, ("mill st",)), (16, ("mill st",)), (7, ("lantern st",))]),
        ("between 52 and 57 harrow of tons", [(52, ("harrow ave",)), (57, ("harrow ave",))]),
        ("9 wharton street", [(9, ("e wharton st", "w wharton st"))]),
        ("at 12 Nowhere Lane", [(12, ())]),
        ("Unit 2, 31 Lantern Steet", [(31, ("lantern st",))]),
        ("mould at 48–50 Harrow Ave", [(48, ("harrow ave",))]),
        ("130 B Mill St, 7 the Broadway", [(130, ("mill st",)), (7, ("broadway",))]),
        ("31½ LANTERN ST.", [(31, ("lantern st",))]),
        ("31 Lantern and 48 Harrow", [(31, ("lantern st",)), (48, ("harrow ave",))]),
        ("3 Lantern bulbs and 2 Mill workers", []),
        ("12 people on the street, 3 days, 2 am, 3:45am, case 901050000740", []),
        ("5 trash bags on the way to the park", []),
        ("plates on Blue Heron Avenue between Dudgeon and Mill", [(None, ("blue heron ave",))]),
        ("tore up the sidewalk on Lantern but left", [(None, ("lantern st",))]),
        ("MILL ST & HARROW AVE", [(None, ("mill st",))]),
        ("", []),
        ("31 Lantern St, 31 Lantern St", [(31, ("lantern st",))]),
    ],
)
def test_addresses_are_found_in_free_text(text: str, found: list[tuple[int | None, tuple[str, ...]]]) -> None:
    assert list(dict.fromkeys((address.low, address.streets) for address in addresses_in(text, STREETS))) == found


def test_a_crossing_names_both_streets() -> None:
    (crossing,) = addresses_in("the drain at the corner, Mill St at Harrow Ave, is full", STREETS)
    assert (crossing.streets, crossing.cross) == (("mill st",), ("harrow ave",))


@pytest.mark.parametrize("text", ["12 A ", "12 ", "Some Words 12 more. ", "a", "Dr. ", "12, and "])
def test_hostile_texts_are_read_in_bounded_time(text: str) -> None:
    began = time.thread_time()
    addresses_in((text * 20_000)[:20_000], STREETS)
    assert time.thread_time() - began < 2
