"""Which building an address means."""

from collections.abc import Callable

import pytest

from agents.city.records import Records, Site, locate_all


@pytest.mark.parametrize(
    ("asked", "filed"),
    [
        ("48 Harrow Ave", "48-50 Harrow Ave"),
        ("50 harrow avenue", "48-50 Harrow Ave"),
        ("130B Quill St", "130-130B Quill St"),
        ("130A Quill", "130-130B Quill St"),
    ],
)
def test_a_number_inside_a_range_or_suffix_finds_the_building(site: Callable[[str], Site], asked: str, filed: str) -> None:
    assert site(f"at {asked}").label == filed


def test_the_other_side_of_the_street_is_not_in_a_range(city: Records) -> None:
    (located,) = locate_all(city, "49 Harrow Ave")
    assert not located.sites


def test_two_ids_of_one_address_are_one_building(site: Callable[[str], Site]) -> None:
    assert len(site("33 Cooper Street").sam_ids) == 2


def test_one_address_in_two_parts_of_the_city_is_ambiguous_until_the_part_is_named(city: Records) -> None:
    (located,) = locate_all(city, "mice at 10 Mill St")
    assert len(located.sites) == 2
    for part in ("Harborside", "Quarry Hill"):
        (told,) = locate_all(city, f"mice at 10 Mill St, {part}")
        assert [site.areas for site in told.sites] == [(part.lower(),)]


def test_an_unknown_number_keeps_the_street_and_names_its_neighbours(city: Records) -> None:
    (located,) = locate_all(city, "999 Quill St")
    assert not located.sites
    assert located.street is not None and located.street.street == "quill st"
    assert located.similar[0].endswith("Quill St")


def test_an_unknown_street_names_similar_ones(city: Records) -> None:
    (located,) = locate_all(city, "31 Lanterne Street")
    assert (located.sites, located.street, located.similar) == ((), None, ("Lantern St",))


def test_several_buildings_in_one_text_keep_their_order(city: Records) -> None:
    found = locate_all(city, "Heat is out at 31 Lantern St. At 48-50 Harrow Ave rats; 7 Saltmarsh Way too.")
    assert [located.sites[0].label for located in found] == ["31 Lantern St", "48-50 Harrow Ave", "7 Saltmarsh Way"]


def test_a_very_long_text_is_read_in_bounded_time(city: Records) -> None:
    assert locate_all(city, "31 Lantern St " + "and then Some Words follow " * 4_000)[0].sites
