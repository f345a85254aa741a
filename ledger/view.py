"""Small pure questions to a ledger that several parts ask."""

from collections.abc import Iterable
from typing import Any

JSON = dict[str, Any]


def step_of(ledger: JSON, n: int) -> JSON | None:
    """Return step `n`, or None when it was archived or never dispatched."""
    return next((step for step in ledger["steps"] if step["n"] == n), None)


def known_aliases(ledger: JSON) -> set[str]:
    """Return the aliases that this case has seen and still shows."""
    found = {alias for step in ledger["steps"] for alias in step["artifacts"]}
    found |= {alias for item in ledger["criteria"] for alias in item["evidence"]}
    found |= {item["handle"] for item in ledger["questions"] if item["handle"]}
    if ledger["goal_handle"]:
        found.add(ledger["goal_handle"])
    if ledger["earlier"]:
        found.add(ledger["earlier"]["handle"])
    return found


def open_criteria(ledger: JSON) -> list[JSON]:
    """Return the criteria that still wait for somebody."""
    return [item for item in ledger["criteria"] if item["status"] == "open"]


def open_questions(ledger: JSON) -> list[JSON]:
    """Return the questions that no person has answered yet."""
    return [item for item in ledger["questions"] if item["status"] == "open"]


def latest_steps(ledger: JSON) -> list[JSON]:
    """Return the steps of the last dispatch."""
    return [step for step in ledger["steps"] if step["decision"] == ledger["steps"][-1]["decision"]] if ledger["steps"] else []


def sent_by(decision: JSON, steps: Iterable[JSON]) -> list[JSON]:
    """Return what a decision dispatched: a legal one names its steps, which hold the asks; a refused one what it wanted."""
    if decision["verdict"] != "ok":
        return list(decision["dispatch"])
    mine = (step for step in steps if step["decision"] == decision["n"])
    return [{"specialist": step["specialist"], "ask": step["ask"], "handles": step["handed"], "step": step["n"]} for step in mine]


def pending_steps(ledger: JSON, specialist: str | None = None) -> list[JSON]:
    """Return dispatched steps that have not returned, of one specialist or of all."""
    return [step for step in ledger["steps"] if step["status"] == "pending" and specialist in (None, step["specialist"])]


def roster_names(ledger: JSON) -> list[str]:
    """Return the names the router may pick from."""
    return [line["name"] for line in ledger["setup"]["roster"]]


def refused_in_a_row(decisions: Iterable[JSON]) -> int:
    """Return how many of the last decisions the guard refused, without a legal one between."""
    count = 0
    for item in decisions:
        count = 0 if item["verdict"] == "ok" else count + 1
    return count
