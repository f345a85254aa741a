"""The only node that pauses: it puts open questions to people, alone in its superstep."""

from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from contracts import estimate, one_line
from graph.context import Context, context_of
from graph.desk import Desk, tell
from graph.state import View
from ledger import Answered, Asked, checked, plain
from ledger.events import ANSWER
from ledger.view import open_questions

JSON = dict[str, Any]
LAPSED = ("", "skip", "no answer")


def make_ask(desk: Desk) -> Any:
    """Return the ask node of this desk."""

    async def ask(state: View, runtime: Runtime[Context]) -> JSON:
        """Pause for the answers to all open questions; they come back as data."""
        ledger = checked(state["ledger"])
        waiting = open_questions(ledger)
        if not waiting:
            return {}
        case, given = ledger["case"], {}
        if context_of(runtime).ask_people:
            payload = [{key: item[key] for key in ("id", "to", "text")} for item in waiting]
            given = _by_question(interrupt({"kind": "questions", "case": case, "questions": payload}), waiting)
        events: list[Any] = [Asked(case=case, questions=tuple(item["id"] for item in waiting))]
        handles: JSON = {}
        for item in waiting:
            text = given.get(item["id"], "")
            handle = await _keep_long(desk, case, text)
            if handle:
                handles[handle.alias] = handle.model_dump(mode="json")
            events.append(
                Answered(
                    case=case,
                    question=item["id"],
                    text=ANSWER.cut(text),
                    handle=handle.alias if handle else None,
                    lapsed=one_line(text).casefold() in LAPSED,
                )
            )
            tell(runtime, "answer", case=case, question=item["id"], lapsed=events[-1].lapsed)
        return {"ledger": [plain(event) for event in events], "artifacts": handles}

    return ask


def _by_question(resumed: Any, waiting: list[JSON]) -> dict[str, str]:
    """Read what a client resumed with: one text for a single question, or a mapping by question id."""
    if isinstance(resumed, list) and len(resumed) == 1:
        resumed = resumed[0]
    if isinstance(resumed, dict):
        named = {str(key): "" if value is None else str(value) for key, value in resumed.items() if any(item["id"] == key for item in waiting)}
        if named:
            return named
        resumed = next((resumed[key] for key in ("answer", "text", "args") if isinstance(resumed.get(key), str)), "")
    return {item["id"]: str(resumed or "") for item in waiting}


async def _keep_long(desk: Desk, case: str, text: str) -> Any:
    line = one_line(text)
    if len(line.encode()) <= ANSWER.bytes and estimate(line) <= ANSWER.tokens:
        return None
    return await desk.store.put(case, text, stem="G2", kind="resident_answer", description="A person's answer, whole", producer="ask")
