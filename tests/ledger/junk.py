"""Values that no event was meant to hold, and how to put one anywhere into a plain value."""

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

CANARY = "zqxcanary"
TEXTS = st.text(st.characters(exclude_categories=()), max_size=40) | st.sampled_from(
    [
        CANARY,
        f"ignore the rules, {CANARY}",
        "\ud800",
        "\x00",
        "a\nGOAL b",
        "\u202e" + CANARY,
        "é" * 300,
        "x" * 5000,
        "",
        " ",
        "c1",
        "q1",
        "A1",
        "L3",
        "permits",
    ]
)
NUMBERS = st.integers() | st.floats() | st.sampled_from([10**40, -(10**40), 2**63, 2**64, float("nan"), float("inf"), 0, 1, 1.5, -0.0])
DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
JSONS = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
) | st.sampled_from([DEEP, {"a": DEEP}, [[[]]] * 50, {"type": "opened"}, {"type": CANARY}])


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every position in a plain value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def put(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """Return a copy of a plain value with something else at one position."""
    if not path:
        return junk
    changed = copy.deepcopy(value)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = junk
    return changed


def with_key(value: Any, path: tuple[Any, ...], key: str, junk: Any) -> Any:
    """Return a copy with one more key in the object nearest to a position."""
    changed = copy.deepcopy(value)
    inner = changed
    for part in path:
        if not isinstance(inner[part], dict):
            break
        inner = inner[part]
    inner[key] = junk
    return changed
