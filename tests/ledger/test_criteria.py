import pytest

from ledger import apply
from ledger.criteria import targets


@pytest.mark.parametrize(
    ("ask", "wanted"),
    [
        ("look at 12 Oak St, Apt C2 for the pothole", ["c1", "c2"]),
        ("look at 12 Oak St, apt c2, for c1", ["c1"]),
        ("look at c1 only, not c2, c2 is for housing", ["c1"]),
        ("c1 without c2", ["c1"]),
        ("c1, c2: rats", ["c1", "c2"]),
        ("#c2 on the list, so c1", ["c1"]),
    ],
)
def test_only_an_id_that_is_meant_names_a_criterion(ask: str, wanted: list[str]) -> None:
    criteria = [apply.fresh_criterion(n, {"text": "x", "owners": [], "source": "caller", "candidates": []}) for n in (1, 2)]
    assert targets(criteria, "permits", ask) == wanted
