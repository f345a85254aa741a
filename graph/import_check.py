"""Refuse to start when another installed package answers to the name of one of ours."""

from importlib.util import find_spec
from pathlib import Path

NAMES = ("contracts", "store", "ledger", "agents")
ROOT = Path(__file__).resolve().parent.parent


def check_names(root: Path = ROOT) -> None:
    """Check that each layer is imported from beside this package.

    Raises:
        ImportError: Another package has the name, such as openai-agents that of `agents`.
    """
    for name in NAMES:
        found = find_spec(name)
        place = Path(found.origin).resolve().parent if found and found.origin else None
        if place != root / name:
            raise ImportError(
                f"the name {name!r} belongs to {place or 'nothing installed'} and not to this project (openai-agents, for one, calls itself agents): "
                "use a virtual environment of its own, as `make run` makes one"
            )
