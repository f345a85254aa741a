"""The answer node: read stored artifacts in bounded parts, write the text once, close the case."""

import asyncio
import codecs
import time
from contextlib import suppress
from typing import Any

from langgraph.runtime import Runtime

from agents.model.answer import Finding, compose, write
from agents.model.calls import Cost
from agents.model.record_ids import RECORD_ID
from contracts import Handle
from graph.archives import load_archives
from graph.context import Context, context_of
from graph.desk import Desk, spent_of, tell, watch
from graph.state import View
from graph.voice import spoken as say
from ledger import Finished, checked, checked_handles, plain
from ledger.criteria import alias_order
from ledger.replay import whole
from ledger.view import open_criteria
from store.errors import StoreError
from store.protocol import RANGE
from store.text import head_of

JSON = dict[str, Any]
MOST_STEPS = 48
"""Steps that the answer tells of, the last ones."""
EXCERPT_TOKENS = 16_000
"""Tokens of all excerpts together."""
LEAST_EXCERPT = 160
"""Tokens of an excerpt below which fewer artifacts are read instead."""
WINDOW = 2**18
"""Bytes of a body that are searched for record ids at a time."""
OVERLAP = 128
"""Characters that two windows share; no record id is longer."""


def make_answer(desk: Desk, *, spoken: bool = True) -> Any:
    """Return the answer node of this desk; `spoken` sends its text to whoever streams messages."""

    async def answer(state: View, runtime: Runtime[Context]) -> JSON:
        """Write the resident's text from stored artifacts and close the case."""
        ledger, context, started = checked(state["ledger"]), context_of(runtime), time.monotonic()
        artifacts = checked_handles(ledger, state["artifacts"])
        if ledger["status"] != "open":
            return {"answer": await _read_again(desk, ledger, artifacts)}
        findings, missing = await _findings(desk, ledger, artifacts)
        stopped = ledger["reason"] or open_criteria(ledger)
        gone = tuple(sorted(set(missing) & {alias for item in ledger["criteria"] for alias in item["evidence"]}, key=alias_order))
        closing = Finished(case=ledger["case"], at=desk.instant(), status="stopped" if stopped else "done", missing=gone)
        preview, lost = desk.fold(ledger, plain(closing)), _labelled(missing, artifacts)
        cost = Cost()
        if desk.is_offline(context):
            text = compose(preview, findings, lost)
        else:
            text, cost = await write(desk.router(context), preview, findings, lost, context.answer_style)
        handle = await _keep(desk, ledger["case"], text)
        closing = closing.model_copy(update={"answer": handle and handle.alias, "spent": spent_of(cost, started)})
        closed = desk.fold(ledger, plain(closing))
        watch(desk, runtime, closed, artifacts)
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
    checked_handles(ledger, artifacts, steps)
    told = [step for step in steps if step["status"] in ("done", "partial")][-MOST_STEPS:]
    named = dict.fromkeys(alias for step in told for alias in step["artifacts"])
    evidence = dict.fromkeys(alias for item in ledger["criteria"] for alias in item["evidence"])
    shown = [*(alias for alias in named if alias not in evidence), *evidence][-max(EXCERPT_TOKENS // LEAST_EXCERPT, len(evidence)) :]
    each = EXCERPT_TOKENS // max(1, len(shown))
    said = [f"{step['headline']}\n{step['outcome']}\n{step['cause']}" for step in steps]
    wanted = frozenset(RECORD_ID.findall("\n".join([*said, *(item["text"] for item in ledger["criteria"]), *_labelled(shown, artifacts)])))
    # All at once: with a store that does not answer, the answer waits for one time-out and not for one after the other.
    heads = (_excerpt(desk, ledger["case"], alias, artifacts.get(alias), each, wanted) for alias in shown)
    texts = dict(zip(shown, await asyncio.gather(*heads), strict=True))
    missing += [alias for alias in shown if texts[alias] is None]
    findings = []
    for step in told:
        if step["artifacts"] and all(alias in missing for alias in step["artifacts"]):
            continue  # nothing that it says can be looked up any more
        read = [text for alias in step["artifacts"] if (text := texts.get(alias)) is not None]
        excerpts, ids = tuple(text for text, _ in read), frozenset[str]().union(*(ids for _, ids in read))
        about = step["specialist"], step["status"], step["headline"], step["outcome"]
        findings.append(Finding(step["n"], *about, excerpts, tuple(step["criteria"]), ids))
    for alias in evidence:
        found, handle = texts.get(alias), artifacts.get(alias)
        if alias not in named and found is not None and handle:
            findings.append(Finding(0, handle["producer"], "done", handle["description"], "", (found[0],), ids=found[1]))
    return findings, missing


async def _excerpt(desk: Desk, case: str, alias: str, known: JSON | None, tokens: int, wanted: frozenset[str]) -> tuple[str, frozenset[str]] | None:
    """Return the head of an artifact whose whole body is what was stored, and the wanted record ids in that body; or None."""
    try:
        body = await desk.store.read(case, alias, 0, WINDOW)
        if known and len(body) == known["bytes"] < WINDOW:  # verified by being read whole
            handle = Handle.model_validate(known)
        else:
            handle = await desk.store.stat(case, alias, verify=True)
        return head_of(handle, body, max_tokens=tokens).text, await _ids(desk, body, handle, wanted)
    except StoreError:
        return None


async def _ids(desk: Desk, data: bytes, handle: Handle, wanted: frozenset[str]) -> frozenset[str]:
    """Return which of these record ids stand in a body, read window by window until all are found; `data` is the first."""
    found, text, at, total = set[str](), "", 0, handle.bytes
    utf16 = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    decoder = codecs.getincrementaldecoder("utf-16" if utf16 else "utf-8")("replace")
    while at < total and found != wanted:
        data = await desk.store.read(handle.case, handle.alias, at, WINDOW) if at else data
        first, at = not at, at + WINDOW
        text = text[-OVERLAP:] + decoder.decode(data, at >= total)
        if first and at >= total:
            return wanted & set(RECORD_ID.findall(text))
        # What touches the edge of a window may be part of a longer number: the next window shows it whole.
        whole_ones = (match for match in RECORD_ID.finditer(text) if (first or match.start()) and (at >= total or match.end() < len(text)))
        found |= wanted & {match.group() for match in whole_ones}
    return frozenset(found)


def _labelled(aliases: list[str], artifacts: JSON) -> list[str]:
    """Return missing artifacts as the answer names them."""
    return [f"{alias} ({artifacts[alias]['description']})" if alias in artifacts else alias for alias in aliases]


async def _keep(desk: Desk, case: str, text: str) -> Any:
    """Store the answer; a store that is down does not cost the resident the text."""
    try:
        return await desk.store.put(case, text, stem="R1", kind="answer", description="The answer as it was given", producer="answer")
    except StoreError:
        return None


async def _read_again(desk: Desk, ledger: JSON, artifacts: JSON) -> str:
    """Return the answer of a closed case as it was given; where that is lost, plain assembly from what is there."""
    if ledger["answer"]:
        with suppress(StoreError):
            return (await desk.store.read(ledger["case"], ledger["answer"], 0, RANGE)).decode("utf-8", "replace")
    findings, missing = await _findings(desk, ledger, artifacts)
    return compose(ledger, findings, _labelled(missing, artifacts))
