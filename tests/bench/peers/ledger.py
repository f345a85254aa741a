"""This desk on the scripted work: with specialists that a model drives, and with specialists that are plain functions.

The prose and the records it rests on are stored as one artifact, and the contract goes to the router. Four criteria stay open until each
specialist's last turn. The finding, the ask and the records are the peers' own; a return's headline and outcome are near the caps' use
of a working desk (about 20 and 55 tokens).
"""

import datetime as dt
import json
from collections.abc import Callable, Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import Field

from agents.specialist import Specialist, Task
from contracts import Facts, Return
from graph.workflow import build as build_desk
from ledger import Limits
from store.opening import open_store
from tests.bench.peers.base import Peer
from tests.bench.script import Script, ScriptedChat, prompt_of, say, say_all, tools_of
from tests.bench.work import ANSWER, GOAL, SPECIALISTS, Turn

CRITERIA = [
    "permit for the third-floor work",
    "orders about the heat",
    "rats in the yard",
    "sidewalk at the entrance",
]


class RegisterFacts(Facts):
    """What the register says, typed."""

    ref: str = Field(max_length=7, pattern=r"^[A-Z]-\d{5}$", description="Newest record.")
    opened: dt.date = Field(description="Its date.")
    state: Literal["open", "closed"] = Field(description="Whether it is open.")


class RegisterReturn(Return):
    """What every office hands back."""

    facts: RegisterFacts


def _facts(turn: Turn) -> dict[str, str]:
    return {"ref": turn.ref, "opened": turn.opened, "state": "closed" if "closed" in turn.outcome else "open"}


def _status(script: Script) -> str:
    return "done" if script.n > script.turns - len(SPECIALISTS) else "partial"


def router(script: Script) -> ScriptedChat:
    """Return the desk's model: routes by the script, and writes the answer when it is asked for text."""

    def reply(messages: Sequence[BaseMessage], kwargs: dict[str, Any]) -> AIMessage:
        if not kwargs.get("extra_body"):
            return AIMessage(ANSWER)
        following = script.next()
        if following is None:
            return AIMessage(json.dumps({"reason": "All four are settled.", "action": "finish", "dispatch": [], "out_of_scope": []}))
        criterion = f"c{list(SPECIALISTS).index(following.specialist) + 1}"
        work = {"specialist": following.specialist, "ask": f"{criterion}: {following.ask}", "handles": []}
        reason = f"{criterion} is not settled and {following.specialist} keeps its register."
        return AIMessage(json.dumps({"reason": reason, "action": "dispatch", "dispatch": [work], "out_of_scope": []}))

    return ScriptedChat(kind="router", bare_kind="answer", script=script, reply=reply)


def worker(script: Script) -> ScriptedChat:
    """Return the specialists' model: first tool, second tool, then the report and the return in one reply."""

    def reply(messages: Sequence[BaseMessage], kwargs: dict[str, Any]) -> AIMessage:
        script.step += 1
        turn = script.now
        if script.step == 1:
            return say(f"search_{turn.specialist}", query=turn.ask)
        if script.step == 2:
            return say(f"history_{turn.specialist}", query=turn.ask)
        status = _status(script)
        found = {
            "status": status,
            "headline": turn.headline,
            "outcome": turn.outcome,
            "facts": _facts(turn),
            "artifacts": [f"A{turn.n}"],
            "settles": [f"c{list(SPECIALISTS).index(turn.specialist) + 1}"] if status == "done" else [],
            "questions": [],
        }
        return say_all(("file_report", {"text": turn.prose}), ("hand_back", found))

    return ScriptedChat(kind="worker", script=script, reply=reply)


def specialist(script: Script, name: str, driven: bool) -> Specialist:
    """Return one office, driven by a model or a plain coroutine."""

    async def run(task: Task) -> Return:
        turn = script.now
        kept = await _keep(task, turn.prose, turn)
        return task.returned(_status(script), turn.headline, turn.outcome, RegisterFacts.model_validate(_facts(turn)), [kept])

    def tools(task: Task) -> Sequence[Callable[..., Any]]:
        async def file_report(text: str) -> str:
            """Store the report together with the records that it rests on."""
            return str((await _keep(task, text, script.now)).alias)

        return [*tools_of(script, name), file_report]

    prompt = prompt_of(name) if driven else ""
    return Specialist(name=name, description=SPECIALISTS[name], returns=RegisterReturn, run=run, tools=tools, prompt=prompt)


async def _keep(task: Task, report: str, turn: Turn) -> Any:
    body = "\n\n".join([report, *turn.records])
    return await task.put(body, kind="report", description=f"Report of {turn.specialist} with its records")


def build(script: Script, saver: Any, driven: bool, budget: int = Limits().budget) -> Any:
    """Compile the desk with a prompt budget; a saver on disk comes with a store on disk."""
    store = open_store(script.folder / "artifacts.sqlite" if script.folder else "memory:")
    script.closing.append(store.aclose)
    return build_desk(
        model=router(script),
        specialist_model=worker(script) if driven else None,
        store=store,
        specialists=[specialist(script, name, driven) for name in SPECIALISTS],
        checkpointer=saver,
        limits=Limits(max_hops=script.turns + 8, budget=budget),
    )


def _check(result: dict[str, Any]) -> None:
    """Refuse a run in which anything was turned down: it would not have done the same work."""
    book = result["ledger"]
    wrong = [item["verdict"] for item in book["decisions"] if item["verdict"] != "ok"] + [item["cause"] for item in book["rejected"]]
    if wrong or book["status"] != "done":
        raise RuntimeError(f"the desk ended {book['status']} ({book['reason']}): {wrong[:3]}")


def _start() -> dict[str, Any]:
    return {"goal": GOAL, "criteria": CRITERIA}


def at_budget(budget: int) -> Peer:
    """Return this desk with another prompt budget; specialists as plain coroutines, because only the router's prompts matter."""
    return Peer(f"ledger-{budget}", f"a budget of {budget} tokens", lambda s, saver: build(s, saver, False, budget), _start, _check)


PEERS = (
    Peer("ledger", "default budget of 1,500 tokens, specialists driven by create_agent", lambda s, saver: build(s, saver, True), _start, _check),
    Peer("ledger-functions", "the same, specialists as plain coroutines", lambda s, saver: build(s, saver, False), _start, _check),
)
