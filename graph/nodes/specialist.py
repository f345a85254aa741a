"""The wrapper round every specialist: whatever happens inside, one contract per step comes out."""

import asyncio
import logging
import re
import sysconfig
import time
import traceback
from pathlib import Path
from typing import Any

from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime
from pydantic import ValidationError

from agents.model.apart import apart
from agents.model.calls import Cost
from agents.model.endpoint import Endpoint
from agents.model.faults import EndpointError, redact
from agents.model.runner import RunFailed, run_with_model
from agents.specialist import Specialist, Task, awaited, plain_ask
from contracts import DeskError, Handle, Return
from contracts.causes import cause_of
from contracts.returns import CAUSE, Audience
from graph.context import Context, context_of
from graph.desk import Desk, spent_of, tell
from graph.folding import trusted
from graph.keeping import reason_of
from graph.state import View
from ledger import Returned, checked_handles, plain
from ledger.seal import handle_seal
from ledger.view import pending_steps
from store.errors import ArtifactNotFound, StoreError

JSON = dict[str, Any]
log = logging.getLogger("ledger")
_ROOT = Path(__file__).parents[2]
_LIBRARIES = re.compile(rf"^<|[/\\](?:site|dist)-packages[/\\]|^{re.escape(sysconfig.get_path('stdlib'))}")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,23}")


class BrokenReturn(Exception):
    """What came back is no return of this specialist's contract."""


def make_specialist(desk: Desk, specialist: Specialist) -> Any:
    """Return the node of one specialist, named after it."""

    async def node(state: View, runtime: Runtime[Context]) -> JSON:
        ledger = trusted(state["ledger"])
        artifacts = checked_handles(ledger, state["artifacts"])
        context = context_of(runtime)
        model = desk.specialist_model(context) if specialist.prompt else None
        tasks = [_task(desk, specialist, ledger, artifacts, step, context) for step in pending_steps(ledger, specialist.name)]
        done = await asyncio.gather(*(_work(specialist, task, model, desk.seconds(ledger)) for task in tasks))
        events = [plain(event) for event, _ in done]
        for event, task in zip(events, tasks, strict=True):
            folded = next(item for item in desk.fold(ledger, event)["steps"] if item["n"] == task.step)
            told = {key: folded[key] for key in ("n", "specialist", "ask", "status", "headline", "cause", "artifacts", "spent")}
            tell(runtime, "rejected" if folded["status"] == "rejected" else "return", case=ledger["case"], **told)
        handles = {handle.alias: handle.model_dump(mode="json") for _, found in done for handle in found}
        return {"ledger": events, "artifacts": handles}

    node.__name__ = specialist.name
    node.__doc__ = specialist.description
    return node


def _task(desk: Desk, specialist: Specialist, ledger: JSON, artifacts: JSON, step: JSON, context: Context) -> Task:
    texts = {item["id"]: item["text"] for item in ledger["criteria"]}
    mine = [item for item in ledger["questions"] if item["status"] == "answered" and item["specialist"] == specialist.name]
    criteria = tuple((name, texts[name]) for name in step["criteria"])
    return Task(
        specialist=specialist,
        case=ledger["case"],
        step=step["n"],
        ask=plain_ask(step["ask"], criteria),
        goal=ledger["goal"],
        criteria=criteria,
        handles=tuple(Handle.model_validate(artifacts[alias]) for alias in step["handed"] if alias in artifacts),
        answers=tuple((item["text"], item["answer"]) for item in mine if item["to"] == Audience.RESIDENT),
        approved=tuple((item["text"], item["answer"]) for item in mine if item["to"] == Audience.APPROVER),
        approvals=context.approvals and context.ask_people,
        store=desk.store,
        home=desk.home,
        today=desk.clock().date(),
    )


async def _work(specialist: Specialist, task: Task, model: Endpoint | None, seconds: float) -> tuple[Returned, list[Handle]]:
    """Run one step for so many seconds at most; an exception becomes a failed return that names its class and place, never its text."""
    started, cost, cause = time.monotonic(), Cost(), ""
    body: Any = None
    handles: list[Handle] = []
    timer = asyncio.timeout(seconds)
    try:
        async with timer:
            result, cost = await apart(_returned_by(specialist, task, model))
            handles = await _verified(task, result)
            body = result.model_dump(mode="json")
    except GraphBubbleUp:
        raise
    except asyncio.CancelledError:
        if (current := asyncio.current_task()) and current.cancelling():
            raise
        cause = "its work was cancelled from inside"
    except TimeoutError as error:
        cause = f"no return within {seconds:.3g} s" if timer.expired() else _raised_at(error)
    except RunFailed as error:
        cost, cause = error.spent, redact(str(error))
    except ValidationError as error:
        cause = f"{specialist.name} does not keep its contract: {cause_of(error)}"
    except ArtifactNotFound:
        cause = "names an artifact that the store does not have for this case"
    except StoreError as error:
        cause = redact(reason_of(error))
    except (BrokenReturn, DeskError, EndpointError) as error:
        cause = redact(str(error))
    except Exception as error:
        cause = _raised_at(error)
    if cause:
        log.error("specialist %s failed at step %d: %s", specialist.name, task.step, cause)
    seals = tuple((handle.alias, handle_seal(handle.model_dump(mode="json"))) for handle in handles)
    spent, name = spent_of(cost, started), specialist.name
    return Returned(case=task.case, step=task.step, specialist=name, result=body, cause=CAUSE.cut(cause), seals=seals, spent=spent), handles


async def _returned_by(specialist: Specialist, task: Task, model: Endpoint | None) -> tuple[Return, Cost]:
    try:
        found, cost = await run_with_model(specialist, task, model) if model is not None else (await awaited(specialist.run, task), Cost())
        return _checked_return(specialist, found), cost
    except SystemExit:
        raise BrokenReturn(f"{specialist.name} tried to end the process") from None


def _checked_return(specialist: Specialist, found: Any) -> Return:
    if not isinstance(found, (dict, Return)):
        raise BrokenReturn(f"{specialist.name} returned {type(found).__name__} instead of {specialist.returns.__name__}")
    try:
        return specialist.returns.model_validate(found if isinstance(found, dict) else found.model_dump(warnings=False))
    except ValidationError as error:
        # Whoever wrote the specialist needs the key's name; what does not look like one may have come from outside.
        extra = [str(item["loc"][-1]) for item in error.errors() if item["type"] == "extra_forbidden"]
        told = f" (unknown keys: {', '.join(name for name in extra[:3] if _KEY.fullmatch(name))})" if extra else ""
        raise BrokenReturn(f"{specialist.name} does not keep its contract: {cause_of(error)}{told}") from None


async def _verified(task: Task, result: Return) -> list[Handle]:
    """Return the handles that come back: handed ones as they were, others exist in this case, are not empty, and match their size and digest."""
    handles = []
    handed = {handle.alias: handle for handle in task.handles}
    for alias in result.artifacts:
        if alias in handed:
            handles.append(handed[alias])
            continue
        handle = await task.store.stat(task.case, alias, verify=True)
        if not handle.bytes:
            raise BrokenReturn(f"{task.specialist.name} names the empty artifact {alias}")
        handles.append(handle)
    return handles


def _raised_at(error: Exception) -> str:
    """Return class and place of an error in the last code that is no library's; its text may hold anything, a secret too."""
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if frames and frames[-1][0].co_name == "get_config":
        return "a specialist cannot pause the graph or write to its stream: return blocked with a question"
    own = [(code, line) for code, line in frames if not _LIBRARIES.search(code.co_filename)]
    if not own:
        return type(error).__name__
    code, line = own[-1]
    path = Path(code.co_filename)
    return f"{type(error).__name__} in {code.co_name}, {path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else path.name} line {line}"
