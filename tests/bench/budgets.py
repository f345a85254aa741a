"""The price of the prompt budget: what the router's input costs with smaller and larger ones, under three caching rules."""

from typing import Any

from ledger.events import Limits
from tests.bench.measure import figures
from tests.bench.peers.ledger import at_budget

BUDGETS = (1_450, Limits().budget, 2_000, 3_000, 5_000)
"""From about the least that `build` accepts for this roster to one that 200 turns just fill."""


async def budget_rows(turns: int = 200) -> list[dict[str, Any]]:
    """Return total and cost of the router's input for each budget, in fresh-token equivalents."""
    rows = []
    for budget in BUDGETS:
        row = figures(await at_budget(budget).run(turns))
        rows.append({"budget": budget, "turns": turns, "total": row["total"], "highest": row["highest"], "cost": row["cost"]})
    return rows
