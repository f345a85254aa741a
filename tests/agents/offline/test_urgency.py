"""Danger to life is told from its look-alikes."""

import pytest

from agents.offline.urgency import urgent


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("I smell gas in the stairwell", "gas company"),
        ("There's a strong gas odor at the corner", "gas company"),
        ("A backhoe hit the gas main and it hisses", "gas company"),
        ("Hay una fuga de gas en mi edificio", "gas company"),
        ("Forte cheiro de gás no corredor", "gas company"),
        ("屋里有煤气味", "gas company"),
        ("Our carbon monoxide detector keeps beeping", "carbon monoxide"),
        ("Smoke is coming from the basement", "burning"),
        ("The house next door is on fire", "burning"),
        ("Incendie au deuxième étage", "burning"),
        ("The porch is about to collapse", "collapsed"),
        ("Se derrumbó el techo", "collapsed"),
        ("Live wires are hanging over the sidewalk", "wires"),
        ("A man is trapped in the elevator", "trapped"),
        ("No heat. And now I smell gas!", "gas company"),
    ],
)
def test_danger_says_whom_to_call(text, word):
    said = urgent(text)
    assert said is not None and word in said and "911" in said


@pytest.mark.parametrize(
    "text",
    [
        "There is no smell of gas any more",
        "no gas in the kitchen since Monday",
        "The gas company left the street torn up",
        "The fire escape is blocked and there are no smoke detectors",
        "It is a fire hazard, next to a fire hydrant in the fire lane",
        "The crew was there for an emergency gas leak and left an open cut",
        "The roof collapsed last year and was rebuilt",
        "The carbon monoxide detector is missing",
        "It is not on fire, I only want a pickup",
        "no hay fuga de gas",
        "The smell of trash is awful",
        "",
    ],
)
def test_look_alikes_do_not(text):
    assert urgent(text) is None


def test_long_text_is_read_in_bounded_time():
    assert urgent("smell " * 60_000) is None
