"""Each part of the prompt uses its room to the last token: what is cut is cut no shorter than it must be."""

import json
from typing import Any

import pytest

from contracts import estimate
from contracts.text import verbatim
from ledger import NewCriterion, render, share
from ledger.render import _talk, system_tokens
from tests.ledger.play import NAMES, Play, setup_of

LONG = "rats, in the yard of 5 Elm St: 12 of them; "
GOALS = [LONG * 300, "шум во дворе дома номер пять " * 300, "院子里有老鼠" * 900, "a1b2-" * 3000, "\u200b\n" * 4000]


def user(play: Play) -> list[str]:
    return render(play.ledger, play.artifacts).user.split("\n")


def room_of(play: Play) -> int:
    """Return the goal's room from the other lines of the prompt."""
    limits: dict[str, Any] = play.ledger["setup"]["limits"]
    setup = setup_of(play.registry)
    lines = user(play)
    criteria = lines[lines.index("CRITERIA") + 1 : lines.index("STEPS")]
    taken = sum(1 + estimate(line) for line in criteria)
    fan_out = limits["max_parallel"] * max(map(share.step_line_tokens, NAMES))
    left = limits["budget"] - system_tokens(setup.roster, setup.rules) - taken - share.after_goal(NAMES) - fan_out
    return min(500, max(40, left))


@pytest.mark.parametrize("goal", GOALS, ids=range(len(GOALS)))
@pytest.mark.parametrize("budget", [1200, 1290, 1380, 9000])
def test_a_goal_is_shown_as_far_as_there_is_room(goal: str, budget: int) -> None:
    play = Play(*(f"matter number {n} of this case" for n in range(6)), goal=goal, budget=budget)
    room = room_of(play)
    shown = json.loads(user(play)[0].partition(") ")[2].removesuffix("…"))
    assert goal.startswith(shown) and share.fits(verbatim(shown), room - 1)
    assert not share.fits(verbatim(goal[: len(shown) + 1]), room - 1)


def test_the_budgets_of_that_test_leave_different_room() -> None:
    rooms = {budget: room_of(Play(*(f"matter number {n} of this case" for n in range(6)), goal=LONG * 300, budget=budget)) for budget in (1290, 1380)}
    assert 40 < rooms[1290] == rooms[1380] - 90 < 410, rooms


@pytest.mark.parametrize("count", range(1, 13))
def test_a_criterion_is_shown_as_far_as_there_is_room(count: int) -> None:
    text = "is the deck at 12 Elm St legal, by which permit, since when?"
    play = Play(*(NewCriterion(text=text, owners=NAMES[: n % 3]) for n in range(count)))
    lines = user(play)
    each = max(6, 228 // count) - 1
    for n, line in enumerate(lines[2 : lines.index("STEPS")]):
        start = line.partition(' "')[0]
        room = max(6, each - estimate(start) - 3)
        assert line == f'{start} "{share.cut(text, room)}"', n
    assert (line.count("…") > 0) is (count > 8)


def test_a_long_turn_keeps_a_quarter_for_its_ask() -> None:
    ask = "c1: " + "look at the yard of 12 Elm St, again " * 6
    for count in (1, 2, 3, 4):
        play = Play("one")
        long = "The deck of 12 Elm St, seen on 3 May 2024 by J. Ruiz; "
        play.work(*((name, ask[:130]) for name in NAMES[:count]), status="partial", outcome=(long * 9)[:220])
        lines = user(play)
        each = 216 // count - 1
        for line in lines[lines.index("LATEST") + 1 : -1]:
            if line.endswith('…"'):
                asked = line.split('"')[1]
                assert asked == share.cut(ask[:130].strip(), each // 4)
        assert (line.endswith('…"')) is (count > 1), count


def test_a_question_whose_name_takes_all_its_room_shows_no_text() -> None:
    start = "q123456.9 resident"
    for room in range(estimate(start) + 3):
        assert _talk(start, "Which flat is it?", room) == f'{start} ""'
    assert _talk(start, "Which flat is it?", estimate(start) + 60) == f'{start} "Which flat is it?"'
