"""The hand-written supervisor of the LangGraph tutorials: shared messages, a structured-output router, specialists that append their prose."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

from tests.bench.peers.base import Peer
from tests.bench.script import Script, prompt_of, router, say, tools_of, worker
from tests.bench.work import PROMPT, SPECIALISTS


class Route(TypedDict):
    """The office that acts next, or FINISH when the case needs no other."""

    next: Literal["permits", "housing", "sanitation", "potholes", "FINISH"]


def build(script: Script, saver: Any) -> Any:
    """Compile the graph; the structured output is bound once, which is kinder than the tutorials' binding in every call."""
    model = router(script, lambda turn: say("Route", next=turn.specialist), lambda: say("Route", next="FINISH"))
    choose = model.with_structured_output(Route)

    async def supervisor(state: MessagesState) -> Command[str]:
        route = await choose.ainvoke([SystemMessage(PROMPT), *state["messages"]])
        return Command(goto=END if route["next"] == "FINISH" else route["next"])  # type: ignore[index]

    def office(name: str) -> Callable[[MessagesState], Awaitable[Command[str]]]:
        agent = create_agent(worker(script), tools_of(script, name), system_prompt=prompt_of(name))

        async def work(state: MessagesState) -> Command[str]:
            result = await agent.ainvoke({"messages": state["messages"]})
            return Command(update={"messages": [HumanMessage(result["messages"][-1].content, name=name)]}, goto="supervisor")

        return work

    graph = StateGraph(MessagesState)
    graph.add_node("supervisor", supervisor, destinations=(*SPECIALISTS, END))
    for name in SPECIALISTS:
        graph.add_node(name, office(name), destinations=("supervisor",))
    graph.add_edge(START, "supervisor")
    return graph.compile(checkpointer=saver)


PEERS = (Peer("tutorial", "as in the tutorials, structured output bound once", build),)
