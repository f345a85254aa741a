"""A desk as a specialist of another desk: its own roster, ledger and budget inside, one return and a handle outside."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from pydantic import Field

from agents.specialist import Specialist, Task
from contracts import Facts, Return, Status
from graph.context import Context
from ledger import checked

JSON = dict[str, Any]


class NestedFacts(Facts):
    """How the inner case ended."""

    met: int = Field(ge=0, description="Inner criteria with evidence.")
    unsettled: int = Field(ge=0, description="Inner criteria that were tried in vain.")
    out_of_scope: int = Field(ge=0, description="Inner criteria that none of the inner specialists covers.")
    hops: int = Field(ge=0, description="Dispatches of the inner desk.")
    tokens: int = Field(ge=0, description="Tokens of the whole inner case.")


class NestedReturn(Return):
    """What an inner desk hands back."""

    facts: NestedFacts


def desk_as_specialist(
    name: str,
    description: str,
    desk: CompiledStateGraph[Any, Context, Any, Any],
    *,
    context: Context | None = None,
    examples: Sequence[str] = (),
) -> Specialist:
    """Return a desk, built with `build` over its own specialists and store, as one specialist.

    Its questions come out as questions of this return, since only the outermost desk may pause; the answers go in with the next dispatch.
    """
    inner = replace(context or Context(), ask_people=False)

    async def run(task: Task) -> Return:
        """Work one ask through the inner desk."""
        goal = "\n".join([task.ask, *(f"{question} {answer}" for question, answer in task.answers)])
        values = await desk.ainvoke({"goal": goal, "criteria": None}, {"recursion_limit": 1_000}, context=inner)
        return await _returned(task, checked(values["ledger"]), values["artifacts"], str(values["answer"]))

    return Specialist(name=name, description=description, returns=NestedReturn, run=run, examples=tuple(examples))


async def _returned(task: Task, ledger: JSON, artifacts: JSON, answer: str) -> Return:
    """Reduce an inner case to a return; its ledger is one artifact and its findings, in words, another."""
    body = json.dumps({"ledger": ledger, "artifacts": artifacts, "answer": answer}, ensure_ascii=False)
    told = "\n".join(line.strip() for line in answer.splitlines())
    found = await task.put(told, kind="findings", description=f"Findings of the {task.specialist.name} desk")
    whole = await task.put(body, kind="inner_ledger", media_type="application/json", description=f"Ledger of the {task.specialist.name} desk")
    counts = {status: sum(item["status"] == status for item in ledger["criteria"]) for status in ("met", "unsettled", "out_of_scope")}
    asked = [item["text"] for item in ledger["questions"] if item["status"] == "lapsed"]
    steps = [step for step in ledger["steps"] if step["headline"]]
    every = len(ledger["criteria"])
    ended = Status.DONE if counts["met"] == every else Status.PARTIAL if counts["met"] else Status.FAILED
    headline = f"{counts['met']} of {every} settled" + (f": {steps[-1]['headline']}" if steps else "")
    outcome = " ".join(f"{step['specialist']}: {step['headline']}." for step in steps[-6:])
    outcome = outcome or f"Nothing found: {ledger['reason'] or 'nobody covers it'}."
    facts = NestedFacts(**counts, hops=ledger["counts"]["hops"], tokens=ledger["counts"]["tokens"])
    return task.returned(Status.BLOCKED if asked else ended, headline, outcome, facts, (found, whole), asked)
