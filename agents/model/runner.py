"""A specialist driven by a model: its own context, and its contract as the only way out."""

import inspect
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool

from agents.model.agent import HAND_BACK, MAX_CALLS, RULES, RUN, Run, build_agent
from agents.model.apart import apart
from agents.model.calls import Cost
from agents.model.endpoint import KNOWN, Endpoint
from agents.model.faults import EndpointError, Fault
from agents.model.objects import read_object
from agents.model.schema import contract_schema
from agents.specialist import Specialist, Task, awaited
from contracts.errors import DeskError
from contracts.returns import MAX_ARTIFACTS, Return
from contracts.text import clip, quoted
from store.errors import StoreError


class RunFailed(DeskError, RuntimeError):
    """A model-driven run that gave no valid return; `spent` is what it cost."""

    def __init__(self, cause: str, spent: Cost) -> None:
        super().__init__(cause)
        self.spent = spent


async def run_with_model(specialist: Specialist, task: Task, endpoint: Endpoint) -> tuple[Return, Cost]:
    """Let a model do a specialist's work in a context that dies with it; an endpoint without tools leaves it to the work without a model.

    Raises:
        RunFailed: No valid return came of it: a limit, a cut reply, a refusal, a dead endpoint, or two invalid returns.
    """
    run = Run(specialist, task, endpoint)
    if endpoint.choice.key in KNOWN.toolless:
        return await awaited(specialist.run, task), Cost()
    try:
        last = await _agent(run, specialist, task, endpoint)
    except EndpointError as error:
        if error.fault is Fault.BAD_REQUEST and "tool" in error.detail.lower():
            KNOWN.learn_toolless(endpoint.choice.key, error.detail)
            return await awaited(specialist.run, task), run.spent[0]
        if error.fault not in (Fault.EMPTY, Fault.REASONING_ONLY):
            raise RunFailed(str(error), run.spent[0]) from error
        last = ""
    except StoreError as error:
        raise RunFailed(str(error), run.spent[0]) from error
    if run.result is None and not run.ended and not isinstance(last, ToolMessage):
        await _repair(run, specialist, task, endpoint, last)
    if run.result is None:
        raise RunFailed(run.cause or f"stopped at {MAX_CALLS} model calls without a return", run.spent[0])
    try:
        return await _with_evidence(run.result, run), run.spent[0]
    except StoreError as error:
        raise RunFailed(str(error), run.spent[0]) from error


async def _agent(run: Run, specialist: Specialist, task: Task, endpoint: Endpoint) -> Any:
    given = specialist.tools(task)
    run.tools = {tool.name if isinstance(tool, BaseTool) else tool.__name__: tool for tool in (await given if inspect.isawaitable(given) else given)}
    chat = await endpoint.chat()
    key = (id(chat), specialist.name, specialist.prompt, *run.tools)
    if key not in endpoint.agents:
        endpoint.agents[key] = build_agent(chat, specialist, run.tools.values())
    token = RUN.set(run)
    try:
        config = {"recursion_limit": 12 * MAX_CALLS}
        return (await apart(endpoint.agents[key].ainvoke({"messages": [("user", brief(task))]}, config)))["messages"][-1]
    finally:
        RUN.reset(token)


async def _repair(run: Run, specialist: Specialist, task: Task, endpoint: Endpoint, last: Any) -> None:
    """Take a return from the closing text, else ask for it once with what was wrong."""
    if run.accept(read_object(last)) == "accepted" or run.repaired:
        return
    text = last if isinstance(last, str) else last.text
    wrong = f"YOUR REPORT {quoted(clip(text[:20_000], tokens=1500))}\nNOT ACCEPTED {run.cause}: give the return alone."
    schema = contract_schema(specialist.returns)
    reply = await endpoint.call(f"{specialist.prompt}\n{RULES}", f"{brief(task)}\n{wrong}", schema=schema, name=HAND_BACK)
    run.spent[0] += reply.spent
    if reply.fault is None:
        run.accept(read_object(reply.message))
    else:
        run.cause = reply.cause or str(reply.fault)


async def _with_evidence(result: Return, run: Run) -> Return:
    """Add what this run stored, and keep only criteria that its step works for."""
    mine = {name for name, _ in run.task.criteria}
    artifacts = tuple(dict.fromkeys([*result.artifacts, *await run.evidence.aliases()]))[:MAX_ARTIFACTS]
    return result.model_copy(update={"artifacts": artifacts, "settles": tuple(name for name in result.settles if name in mine)})


def brief(task: Task) -> str:
    """Return the one user message of a run: the dispatch, as data."""
    lines = [f"ASK {quoted(task.ask)}", f"GOAL {quoted(clip(task.goal[:8_000], tokens=500))}", f"TODAY {task.today.isoformat()}"]
    lines += [f"CRITERION {name} {quoted(text)}" for name, text in task.criteria]
    lines += [f"HANDED {handle.alias} {handle.kind} about {handle.tokens} tokens {quoted(handle.description)}" for handle in task.handles]
    lines += [f"ANSWER {quoted(question)} {quoted(answer)}" for question, answer in task.answers]
    lines += [f"APPROVER {quoted(question)} {quoted(answer)}" for question, answer in task.approved]
    return "\n".join(lines)
