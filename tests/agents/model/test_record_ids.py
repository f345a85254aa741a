"""Record numbers are checked however they are written; dates, sums, house numbers and known numbers stay."""

import re
import time

import pytest

from agents.model.record_ids import unknown_ids, without_ids

INVENTED_NUMBERS = (
    *("案件101009999999号", "No.101009999999", "1010 0999 9999", "1010.0999.9999", "101,009,999,999", "1010-0999-9999", "a9999999"),
    *(
        "ref_101009999999",
        "SF/2024-77",
        "REF_9999999",
        "case101009999999",
        "1010\u00a00999\u00a09999",
        "１０１００９９９９９９９",
        "alt9999",
        "101009999999x",
    ),
)


@pytest.mark.parametrize("number", INVENTED_NUMBERS)
def test_a_record_number_is_checked_however_it_is_written(number: str) -> None:
    text = f"The case {number}, see there."
    other = f"{text} Permit ALT1234 is open."
    assert len(found := unknown_ids(text, "ALT1234, 101009999998, SF/2024-78")) == 1
    assert not re.search("99|77|９９", without_ids(text, found))
    assert unknown_ids(other, f"ALT1234 {text}") == [] and "ALT1234" in without_ids(other, found)


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("1010 0999 9999", "- 101009999999 5 Elm St"),
        ("101009999999", "about 1010-0999-9999"),
        ("case101009999999 and No.101009999999", "101009999999"),
        ("exca-1363916, EXCA1363916", "EXCA-1363916"),
        ("ALT1234", "ALT1234-2"),
        ("call 617-635-4500 or 617.635.4500", "(617) 635-4500"),
        ("2024-10-07, 7.10.2024, 10/07/2024 at 10:30, since 2019-2024, in 2019 2020 2021, Oct2024", ""),
        ("34,000 dollars, $1,250,000, 1035-1037 Tremont St, Boston 02115-1234, rooms 12 14 16, code 1001.3.2", ""),
    ],
)
def test_a_number_that_is_known_or_no_record_stays(told: str, known: str) -> None:
    assert unknown_ids(told, known) == []


@pytest.mark.parametrize("piece", ["1", "1 ", "1-", "A1", "A123-", "12345 ", "a", "1234567890 ", "1010 0999 9999, "])
def test_a_long_row_of_numbers_takes_no_time(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    started = time.thread_time()
    without_ids(text, unknown_ids(text, text[1:]))
    assert time.thread_time() - started < 1


def test_years_and_house_numbers_are_no_record_ids() -> None:
    assert unknown_ids("At 1035 Tremont St in 2025, zip 02115", "") == []
    assert unknown_ids("Case 101001357953, V138618, EXCA-1363916", "V138618") == ["101001357953", "EXCA-1363916"]
