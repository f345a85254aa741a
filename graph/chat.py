"""The chat face: messages in and out over the same desk. What is typed opens a case, answers the open question, or is small talk.

The desk's own nodes do the work; `listen` stands before them, and the answer leaves as the one assistant message of its request.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command
from pydantic import Field
from typing_extensions import TypedDict

from agents.offline.clauses import places
from agents.offline.matching import match
from agents.registry import SPECIALISTS
from contracts import InputError, merge_handles, one_line
from graph.context import Context
from graph.courtesy import is_nudge, small_talk
from graph.desk import Desk, desk_of
from graph.hearing import has_more, last_reply, mark, request_of, since_reply, text_of, unheard
from graph.nodes import make_answer, make_intake
from graph.nodes.ask import close_questions
from graph.people import AGAIN, answers, is_approved_again
from graph.state import IntakeView, View, state_for
from graph.sync_node import Node
from graph.voice import spoken
from graph.workflow import wired
from ledger import checked
from ledger.view import open_questions

JSON = dict[str, Any]
_ASKS_PLACE = re.compile(r"\b(?:address|street|house number|where|which (?:one|part|building)|location|place|corner|crossing|neighbou?rhood)\b", re.I)
UNREAD = "(Pictures and files cannot be read here; only what you wrote was used.)"
"""What is said to a message that held more than text."""


class Messages(TypedDict):
    """What a chat sends and shows."""

    messages: Annotated[list[AnyMessage], Field(description="The conversation; each request is answered by one message."), add_messages]


class ChatView(View, Messages, total=False):
    """What the nodes of the chat read besides the desk's state."""

    heard: str


class ChatIntakeView(IntakeView, Messages):
    """What intake reads in a chat."""


def build_chat(desk: Desk, *, checkpointer: BaseCheckpointSaver[Any] | None = None, name: str = "chat") -> CompiledStateGraph[Any, Context, Any, Any]:
    """Compile the chat face of a desk; a thread is one conversation."""
    base = state_for(desk.registry)

    class ChatState(base, Messages):  # type: ignore[misc, valid-type]
        heard: Annotated[str, Field(description="The last message that was taken in: its id, and a digest of its text.")]

    graph: StateGraph[Any, Context, Any, Any] = StateGraph(ChatState, Context, input_schema=Messages, output_schema=Messages)
    graph.add_node("listen", Node(make_listen(desk)), input_schema=ChatView, destinations=("intake", "supervisor", "ask", END))
    graph.add_node("intake", Node(make_chat_intake(desk)), input_schema=ChatIntakeView)
    graph.add_edge(START, "listen")
    return wired(graph, desk, make_reply(desk), ChatView).compile(checkpointer=checkpointer, name=name)


def make_listen(desk: Desk) -> Any:
    """Return the node that takes in what was typed."""

    async def listen(state: ChatView, runtime: Runtime[Context]) -> Command[str]:
        """Turn what was typed into the answer to the open question, else into a goal; small talk is answered here."""
        messages = state["messages"]
        new = unheard(messages, state.get("heard", ""))
        ledger = checked(state["ledger"]) if state["ledger"] else None
        is_open = ledger is not None and ledger["status"] == "open"
        if not new and is_open:
            return Command(goto="supervisor")
        texts = [text for message in new if one_line(text := text_of(message))]
        if not texts:
            why = "the message holds no text: describe the problem in words; pictures and files cannot be read" if new else "no new message came in"
            raise InputError(why)
        update: JSON = {"heard": mark(new[-1])}
        said, waiting = "\n".join(texts), _put_to_people(ledger)
        if is_open and not waiting and is_nudge(said):
            return Command(update=update, goto="supervisor")
        if (talk := small_talk(said)) and not (waiting and talk.answers(waiting)):
            reply = talk.reply(tuple(desk.specialists), waiting, first=ledger is None)
            return Command(update=update | {"messages": [await spoken(_noted(reply, new))]}, goto="ask" if waiting else END)
        if ledger and waiting and not _is_another(desk, said, ledger, waiting):
            if is_approved_again(said, waiting, ledger["questions"]) and not last_reply(messages).startswith(AGAIN):
                return Command(update=update | {"messages": [await spoken(f"{AGAIN} {waiting[0]['text']}")]}, goto="ask")
            return Command(update=update | await close_questions(desk, ledger, answers(said, waiting), runtime), goto="supervisor")
        return Command(update={"goal": request_of(texts)}, goto="intake")

    return listen


def make_chat_intake(desk: Desk) -> Any:
    """Return the intake node that ends the case before, if its question is left open, and counts messages as heard only with the new case."""
    take, write = make_intake(desk), make_answer(desk, spoken=False)

    async def intake(state: ChatIntakeView, runtime: Runtime[Context]) -> JSON:
        """Open a case; the one before says all that it found in a message of its own. What raises here leaves the request to the next turn."""
        ledger, artifacts = state["ledger"] and checked(state["ledger"]), state["artifacts"]
        ended: list[JSON] = []
        last: JSON = {}
        if _put_to_people(ledger):
            lapsed = await close_questions(desk, ledger, {}, runtime)
            ledger, artifacts = desk.fold(ledger, lapsed["ledger"]), merge_handles(artifacts, lapsed["artifacts"])
            last = await write({"ledger": ledger, "artifacts": artifacts}, runtime)
            ledger, artifacts = desk.fold(ledger, last["ledger"]), merge_handles(artifacts, last["artifacts"])
            ended = [*lapsed["ledger"], last["ledger"]]
        update: JSON = await take({**state, "ledger": ledger, "artifacts": artifacts}, runtime)
        if ended:
            update |= {"ledger": [*ended, update["ledger"]], "messages": [await spoken(last["answer"])]}
        said = [message for message in state["messages"] if isinstance(message, HumanMessage)]
        return update | ({"heard": mark(said[-1])} if said else {})

    return intake


def make_reply(desk: Desk) -> Any:
    """Return the answer node that also says its text as a message."""
    write = make_answer(desk, spoken=False)

    async def answer(state: ChatView, runtime: Runtime[Context]) -> JSON:
        """Write the resident's text from stored artifacts, close the case, and say it."""
        update: JSON = await write(state, runtime)
        text = update.pop("answer") or "There is nothing to say on this any more."
        return update | {"messages": [await spoken(_noted(text, since_reply(state["messages"])))]}

    return answer


def _put_to_people(ledger: JSON | None) -> list[JSON]:
    """Return the open questions if they were put to people; those of a case that was cut off before that were not seen by anybody."""
    last = ledger["decisions"][-1:] if ledger and ledger["status"] == "open" else []
    return open_questions(ledger) if ledger and last and (last[0]["action"], last[0]["verdict"]) == ("ask", "ok") else []


def _is_another(desk: Desk, text: str, ledger: JSON, waiting: Sequence[JSON]) -> bool:
    """Say whether a text is no answer but another complaint: a matter of the desk's at a place of its own, where no place was asked for."""
    asked = "\n".join(item["text"] for item in waiting)
    told = "\n".join([asked, ledger["goal"], *(item["text"] for item in ledger["criteria"]), *(item["answer"] for item in ledger["questions"])])
    known = {place.casefold() for place in places(told)}
    named = [place for place in places(text) if not any(other in place.casefold() for other in known)]
    is_where = _ASKS_PLACE.search(asked) and not places(asked)
    return bool(named) and not is_where and bool(match(text, desk.specialists.values()))


def _noted(text: str, request: Sequence[BaseMessage]) -> str:
    return f"{text}\n\n{UNREAD}" if any(map(has_more, request)) else text


graph = build_chat(desk_of(SPECIALISTS))
