"""Matching from descriptions and examples alone: any roster, negation, addresses, texts for nobody."""

import time

import pytest

from agents.offline.clauses import clauses
from agents.offline.matching import foreign, match
from agents.offline.scope import OUT_OF_SCOPE, PRECEDENCE
from agents.offline.words import stem, words
from tests.agents.casework import FOUR, Desk


def names(text, desk=FOUR, **more):
    return {item.name for item in match(text, desk, **more)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There is a huge POTHOLE on our street!!", {"potholes"}),
        ("pot holes everywhere", {"potholes"}),
        ("the catchbasin is clogged", {"potholes"}),
        ("Rats are in my yard", {"sanitation"}),
        ("Our trash wasn't picked up", {"sanitation"}),
        ("the contractor has no permit, and there is no heat in my apartment", {"permits", "housing"}),
        ("", set()),
        ("!!! ??? 12345", set()),
        ("Good morning, I would like to thank you all.", set()),
    ],
)
def test_words_forms_and_clauses(text, expected):
    assert names(text) == expected


def test_clauses_that_speak_for_it_come_as_written():
    found = {item.name: item.clauses for item in match("Since May there's no heat. RATS in the yard (two of them).", FOUR)}
    assert found["housing"] == ("Since May there's no heat",)
    assert found["sanitation"] == ("RATS in the yard",)


def test_best_comes_first():
    scores = [item.score for item in match("a pothole, and more potholes; also rats", FOUR)]
    assert scores == sorted(scores, reverse=True) and len(scores) == 2


def test_what_is_denied_does_not_count_and_what_is_missed_does():
    assert names("There is no pothole here and no rats at all") == set()
    assert names("This is not about a pothole. Trash not picked up.") == {"sanitation"}
    assert names("They have not fixed the pothole") == {"potholes"}
    assert names("They worked without a permit") == {"permits"}


@pytest.mark.parametrize("address", ["12 Trash Street", "4 Pothole Road", "88-90 Permit Hill Ave", "7 Rats Ln"])
def test_address_parts_do_not_count(address):
    assert names(f"I live at {address} and have a question") == set()


def test_a_new_specialist_needs_no_code_and_disturbs_nobody():
    noise = Desk("noise", "noise: loud music, parties, barking dogs", ("a dog barks all night",))
    desk = (*FOUR, noise)
    assert names("My neighbour plays loud music") == set()
    assert names("My neighbour plays loud music", desk) == {"noise"}
    assert names("The dog next door will not stop barking", desk) == {"noise"}
    assert names("no heat, and a loud party upstairs", desk) == {"housing", "noise"}
    assert names("There is a pothole", desk) == {"potholes"}


def test_a_description_alone_is_enough():
    assert names("the swings in the playground are broken", (Desk("parks", "parks, playgrounds and swings"),), out_of_scope=()) == {"parks"}


def test_out_of_scope_is_told_apart_from_nothing_known():
    assert foreign("The traffic light is out", FOUR)
    assert not foreign("What happens next?", FOUR)
    assert not foreign("There is a pothole", FOUR)
    assert OUT_OF_SCOPE and len(OUT_OF_SCOPE) <= 10 and all(len(text) <= 300 for text in OUT_OF_SCOPE)


def test_precedence_has_no_circle():
    reach = set(PRECEDENCE)
    while more := {(a, d) for a, b in reach for c, d in reach if b == c} - reach:
        reach |= more
    assert all(a != b for a, b in reach)


def test_stems_join_forms_of_a_word():
    assert {stem(word) for word in ("crack", "cracks", "cracked", "cracking")} == {"crack"}
    assert stem("construction") == stem("constructed") == stem("construct")
    assert stem("contractors") == stem("contractor")
    assert stem("gutted") != stem("gutter")
    assert words("It's not a clogged drain but there is NO heat") == ["!clog", "!drain", "!heat"]


def test_clauses_do_not_break_apart_short_lists():
    assert [item.text for item in clauses("Rats, mice and roaches. No heat and the hall is dark, but the stairs are fine")] == [
        "Rats, mice and roaches",
        "No heat",
        "the hall is dark",
        "the stairs are fine",
    ]


LONG = ["a" * 200_000, "pothole " * 30_000, "1 a " * 40_000, "no " * 50_000, "((((" * 50_000, "12 " + "Elm " * 40_000 + "St"]


@pytest.mark.parametrize("text", LONG)
def test_long_texts_stay_fast(text):
    started = time.thread_time()
    match(text, FOUR)
    assert time.thread_time() - started < 2


def test_order_of_registration_does_not_change_who_is_consulted():
    text = "no heat; contractor at night; pothole; rats in the yard"
    assert names(text) == names(text, FOUR[::-1]) == {item.name for item in FOUR}
