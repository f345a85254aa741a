"""The chat face: messages in and out over the same desk. What is typed opens a case, answers the open question, or is small talk.

The desk's own nodes do the work; `listen` stands before them, and the answer leaves as the one assistant message of its request.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
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
from graph.courtesy import small_talk
from graph.desk import Desk, desk_of
from graph.nodes import make_answer
from graph.nodes.ask import close_questions
from graph.people import answers
from graph.state import View, state_for
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


def build_chat(desk: Desk, *, checkpointer: BaseCheckpointSaver[Any] | None = None, name: str = "chat") -> CompiledStateGraph[Any, Context, Any, Any]:
    """Compile the chat face of a desk; a thread is one conversation."""
    base = state_for(desk.registry)

    class ChatState(base, Messages):  # type: ignore[misc, valid-type]
        heard: Annotated[str, Field(description="The last message that was taken in.")]

    graph: StateGraph[Any, Context, Any, Any] = StateGraph(ChatState, Context, input_schema=Messages, output_schema=Messages)
    graph.add_node("listen", Node(make_listen(desk)), input_schema=ChatView, destinations=("intake", "supervisor", "ask", END))
    graph.add_edge(START, "listen")
    return wired(graph, desk, make_reply(desk), ChatView).compile(checkpointer=checkpointer, name=name)


def make_listen(desk: Desk) -> Any:
    """Return the node that takes in what was typed."""
    write = make_answer(desk, spoken=False)

    async def listen(state: ChatView, runtime: Runtime[Context]) -> Command[str]:
        """Turn what was typed into the answer to the open question, else into a goal; small talk is answered here."""
        new = unheard(state["messages"], state.get("heard", ""))
        goal = "\n".join(filter(None, map(text_of, new)))
        update: JSON = {"heard": new[-1].id} if new else {}
        ledger = checked(state["ledger"]) if state["ledger"] else None
        is_open = ledger is not None and ledger["status"] == "open"
        if not new and is_open:
            return Command(goto="supervisor")
        if not one_line(goal):
            raise InputError("the message holds no text: describe the problem in words; pictures and files cannot be read")
        waiting = open_questions(ledger) if ledger and is_open else []
        if (talk := small_talk(goal)) and not (waiting and talk.answers(waiting)):
            said = talk.reply(tuple(desk.specialists), waiting, first=ledger is None)
            return Command(update=update | {"messages": [await spoken(_noted(said, new))]}, goto="ask" if waiting else END)
        if ledger and waiting:
            if not _is_another(desk, goal, ledger, waiting):
                return Command(update=update | await close_questions(desk, ledger, answers(goal, waiting), runtime), goto="supervisor")
            update |= await end(ledger, state["artifacts"], runtime)
        return Command(update=update | {"goal": goal}, goto="intake")

    async def end(ledger: JSON, artifacts: JSON, runtime: Runtime[Context]) -> JSON:
        """End a case whose question nobody answers: its request gets its own message, with all that was found."""
        lapsed = await close_questions(desk, ledger, {}, runtime)
        last: JSON = await write({"ledger": desk.fold(ledger, lapsed["ledger"]), "artifacts": artifacts}, runtime)
        events, handles = [*lapsed["ledger"], last["ledger"]], merge_handles(lapsed["artifacts"], last["artifacts"])
        return {"ledger": events, "artifacts": handles, "messages": [await spoken(last["answer"])]}

    return listen


def make_reply(desk: Desk) -> Any:
    """Return the answer node that also says its text as a message."""
    write = make_answer(desk, spoken=False)

    async def answer(state: ChatView, runtime: Runtime[Context]) -> JSON:
        """Write the resident's text from stored artifacts, close the case, and say it."""
        update: JSON = await write(state, runtime)
        text = update.pop("answer") or "There is nothing to say on this any more."
        return update | {"messages": [await spoken(_noted(text, _since_reply(state["messages"])))]}

    return answer


def unheard(messages: Sequence[BaseMessage], heard: str) -> list[BaseMessage]:
    """Return the person's messages since the last reply that were not taken in yet."""
    since = _since_reply(messages)
    place = next((index for index, message in enumerate(since, 1) if message.id == heard), 0)
    return since[place:]


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


def text_of(message: BaseMessage) -> str:
    """Return what a person wrote, verbatim, whatever shape the client gave it."""
    content = message.content
    return (
        content
        if isinstance(content, str)
        else "\n".join(block if isinstance(block, str) else str(block.get("text") or "") for block in content if _is_text(block))
    )


def has_more(message: BaseMessage) -> bool:
    """Say whether a message carries something that is not text."""
    return not isinstance(message.content, str) and not all(map(_is_text, message.content))


def _is_text(block: str | JSON) -> bool:
    return isinstance(block, str) or block.get("type") == "text"


def _since_reply(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    last = max((index for index, message in enumerate(messages, 1) if isinstance(message, AIMessage)), default=0)
    return [message for message in messages[last:] if isinstance(message, HumanMessage)]


graph = build_chat(desk_of(SPECIALISTS))
