"""The index of handles is taken only as the case's own steps left it, whatever stands in its place."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import LedgerError
from ledger import Returned, checked_handles
from ledger.seal import handle_seal
from tests.ledger.junk import JSONS, places, put
from tests.ledger.play import CASE, Play, handle, result

JSON = dict[str, Any]


def sealing() -> tuple[Play, JSON]:
    """Play two steps whose handles are sealed, and one handle that no step names."""
    play = Play("one", "two")
    play.dispatch(("permits", "c1: look"), ("housing", "c2: look"))
    index = {alias: handle(alias) for alias in ("A1", "A2", "G1")}
    for n, name in ((1, "permits"), (2, "housing")):
        play.fold(Returned(case=CASE, step=n, specialist=name, result=result(play.step(n)), seals=((f"A{n}", handle_seal(index[f"A{n}"])),)))
    return play, index


PLAY, INDEX = sealing()


def test_an_index_as_its_steps_left_it_is_taken() -> None:
    before = copy.deepcopy([PLAY.ledger, INDEX])
    assert checked_handles(PLAY.ledger, INDEX) is INDEX and before == [PLAY.ledger, INDEX]
    assert checked_handles(PLAY.ledger, dict(reversed(INDEX.items()))) and checked_handles(PLAY.ledger, {k: INDEX[k] for k in ("A1", "A2")})


@given(JSONS)
def test_junk_in_its_place_is_one_clear_error(junk: Any) -> None:
    with pytest.raises(LedgerError, match="the artifact handles .*; restore"):
        checked_handles(PLAY.ledger, junk)


@given(st.sampled_from([path for path in places(INDEX) if path[:1] in (("A1",), ("A2",))]), JSONS)
def test_no_change_of_a_sealed_handle_goes_unnoticed(path: tuple[Any, ...], junk: Any) -> None:
    changed = put(INDEX, path, junk)
    if changed == INDEX:
        return
    with pytest.raises(LedgerError, match="the artifact handles .*; restore"):
        checked_handles(PLAY.ledger, changed)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, "lack A1 of step 1"),
        ({"A1": INDEX["A1"]}, "lack A2 of step 2"),
        (INDEX | {"A2": INDEX["A1"] | {"alias": "A2"} | {"tokens": 4}}, "do not show A2 as step 2 handed it over"),
        (INDEX | {"A3": INDEX["A1"]}, "hold what is no handle"),
        (INDEX | {"A3": INDEX["A1"] | {"alias": "A3", "case": "other"}}, "hold A3 of another case"),
        (INDEX | {1: INDEX["A1"]}, "hold what is no handle"),
    ],
)
def test_it_says_what_is_wrong(changed: JSON, told: str) -> None:
    with pytest.raises(LedgerError, match=f"the artifact handles {told}: they were edited outside the reducers"):
        checked_handles(PLAY.ledger, changed)


def test_handles_of_archived_steps_may_be_gone_and_not_changed() -> None:
    step = PLAY.step(1) | {"n": 9, "seals": {"A9": handle_seal(handle("A9"))}}
    assert checked_handles(PLAY.ledger, INDEX, [step]) is INDEX
    assert checked_handles(PLAY.ledger, INDEX | {"A9": handle("A9")}, [step])
    with pytest.raises(LedgerError, match="do not show A9 as step 9 handed it over"):
        checked_handles(PLAY.ledger, INDEX | {"A9": handle("A9", "all is met")}, [step])
