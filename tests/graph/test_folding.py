"""What nodes and reducers spare each other, and what they do not: the same objects are folded once, altered ones are looked at whole."""

import copy
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from contracts import LedgerError
from graph.folding import FoldMemo, folded, trusted
from ledger import Returned, fold, plain
from tests.ledger.play import CASE, REGISTRY, Play, result


def waiting() -> tuple[Play, dict[str, object]]:
    play = Play("rats known")
    play.dispatch(("permits", "c1: look at 5 Elm St"))
    return play, plain(Returned(case=CASE, step=1, specialist="permits", result=result(1)))


def test_what_a_node_folded_is_not_folded_again_and_equal_events_give_equal_ledgers() -> None:
    play, event = waiting()
    first = folded(play.ledger, event, REGISTRY)
    assert folded(play.ledger, [event], REGISTRY) is first
    again = folded(copy.deepcopy(play.ledger), copy.deepcopy(event), REGISTRY)
    assert again is not first and again == first == fold(play.ledger, event, REGISTRY)
    event["cause"] = "another"
    assert folded(first, event, REGISTRY)["conflicts"], "the same event object on another ledger is folded"


def test_a_ledger_is_trusted_only_as_this_process_made_it() -> None:
    play, event = waiting()
    ledger = folded(trusted(play.ledger), event, REGISTRY)
    assert trusted(ledger) is ledger
    altered = copy.deepcopy(ledger)
    altered["steps"][0]["headline"] = "nothing found"
    with pytest.raises(LedgerError):
        trusted(altered)
    ledger["goal"] = "another"
    with pytest.raises(LedgerError):
        trusted(ledger)


def test_a_ledger_that_nobody_checked_is_looked_at_whole_after_any_fold() -> None:
    play, event = waiting()
    altered = copy.deepcopy(play.ledger)
    altered["decisions"][0]["reason"] = "another"
    with pytest.raises(LedgerError):
        trusted(folded(altered, event, REGISTRY))


def test_the_memo_holds_the_last_folds_and_a_miss_gives_an_equal_ledger() -> None:
    memo, (play, event) = FoldMemo(), waiting()
    first = memo.folded(play.ledger, event, REGISTRY)
    for _ in range(31):
        memo.folded(play.ledger, copy.deepcopy(event), REGISTRY)
    assert memo.folded(play.ledger, event, REGISTRY) is first
    memo.folded(play.ledger, copy.deepcopy(event), REGISTRY)
    again = memo.folded(play.ledger, event, REGISTRY)
    assert again is not first and again == first


def test_the_memo_serves_several_threads() -> None:
    memo, (play, event) = FoldMemo(), waiting()
    wanted = fold(play.ledger, event, REGISTRY)

    def work(_: int) -> bool:
        ledger = memo.trusted(copy.deepcopy(play.ledger))
        return all(memo.folded(ledger, copy.copy(event), REGISTRY) == wanted for _ in range(40))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(64)))
    finally:
        sys.setswitchinterval(before)
