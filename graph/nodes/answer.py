"""The answer node: read stored artifacts in bounded parts, write the text once, close the case."""

import time
from typing import Any

from langgraph.runtime import Runtime

from agents.answer import Finding, compose, write
from agents.calls import Spent as Cost
from graph.archives import load_archives
from graph.context import Context, context_of
from graph.desk import Desk, spent_of, tell, watch
from graph.state import View
from graph.voice import spoken as say
from ledger import Finished, checked, plain
from ledger.replay import whole
from ledger.view import open_criteria
from store.errors import StoreError
from store.text import read_text

JSON = dict[str, Any]
MOST_STEPS = 48
EXCERPT_TOKENS = 6000
LEAST_EXCERPT = 80


def make_answer(desk: Desk, *, spoken: bool = True) -> Any:
    """Return the answer node of this desk; `spoken` sends its text to whoever streams messages."""

    async def answer(state: View, runtime: Runtime[Context]) -> JSON:
        """Write the resident's text from stored artifacts and close the case."""
        ledger, context, started = checked(state["ledger"]), context_of(runtime), time.monotonic()
        if ledger["status"] != "open":
            return {"answer": await _read_again(desk, ledger)}
        findings, missing = await _findings(desk, ledger, state["artifacts"])
        stopped = ledger["reason"] or open_criteria(ledger)
        closing = Finished(case=ledger["case"], at=desk.clock().isoformat(), status="stopped" if stopped else "done", missing=tuple(missing[:64]))
        preview = desk.fold(ledger, plain(closing))
        cost = Cost()
        if desk.is_offline(context):
            text = compose(preview, findings, missing)
        else:
            text, cost = await write(desk.router(context), preview, findings, missing, context.answer_style)
        handle = await _keep(desk, ledger["case"], text)
        closing = closing.model_copy(update={"answer": handle and handle.alias, "spent": spent_of(cost, started)})
        closed = desk.fold(ledger, plain(closing))
        watch(desk, runtime, closed, state["artifacts"])
        tell(runtime, "closed", case=ledger["case"], status=closed["status"], reason=closed["reason"], missing=missing)
        handles = {handle.alias: handle.model_dump(mode="json")} if handle else {}
        if spoken:
            await say(text)
        return {"ledger": plain(closing), "artifacts": handles, "answer": text}

    return answer


async def _findings(desk: Desk, ledger: JSON, artifacts: JSON) -> tuple[list[Finding], list[str]]:
    """Return what the steps found, with bounded excerpts, and the aliases that could not be read."""
    archives, missing = await load_archives(desk.store, ledger)
    steps = whole(ledger, artifacts, archives).steps if not missing else ledger["steps"]
    told = [step for step in steps if step["status"] in ("done", "partial")][-MOST_STEPS:]
    each = max(LEAST_EXCERPT, EXCERPT_TOKENS // max(1, sum(len(step["artifacts"]) for step in told)))
    findings = []
    for step in told:
        excerpts = []
        for alias in step["artifacts"]:
            try:
                excerpts.append((await read_text(desk.store, ledger["case"], alias, max_tokens=each)).text)
            except StoreError:
                missing.append(alias)
        findings.append(Finding(step["n"], step["specialist"], step["status"], step["headline"], step["outcome"], tuple(excerpts)))
    missing += [alias for alias in _unread(ledger, told) if not await _exists(desk, ledger["case"], alias)]
    return findings, list(dict.fromkeys(missing))


def _unread(ledger: JSON, told: list[JSON]) -> list[str]:
    """Return the evidence that no excerpt was read from."""
    read = {alias for step in told for alias in step["artifacts"]}
    return sorted({alias for item in ledger["criteria"] for alias in item["evidence"]} - read)


async def _exists(desk: Desk, case: str, alias: str) -> bool:
    try:
        return bool(await desk.store.stat(case, alias, verify=True))
    except StoreError:
        return False


async def _keep(desk: Desk, case: str, text: str) -> Any:
    """Store the answer; a store that is down does not cost the resident the text."""
    try:
        return await desk.store.put(case, text, stem="R1", kind="answer", description="The answer as it was given", producer="answer")
    except StoreError:
        return None


async def _read_again(desk: Desk, ledger: JSON) -> str:
    if not ledger["answer"]:
        return ""
    try:
        return (await desk.store.read(ledger["case"], ledger["answer"])).decode("utf-8", "replace")
    except StoreError:
        return ""
