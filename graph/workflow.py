"""The graph: intake, supervisor, one node per specialist, ask, answer. `graph` is bare, for servers; `build` is for scripts."""

import datetime as dt
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agents.registry import SPECIALISTS
from agents.specialist import Specialist
from graph.context import Context
from graph.desk import Desk, desk_of, now
from graph.nodes import make_answer, make_ask, make_intake, make_specialist, make_supervisor
from graph.state import DeskInput, IntakeView, SupervisorView, View, output_for, state_for
from graph.sync_node import Node
from ledger import Limits
from store.protocol import ArtifactStore


def build(
    *,
    model: BaseChatModel | None = None,
    specialist_model: BaseChatModel | None = None,
    store: ArtifactStore | None = None,
    specialists: Sequence[Specialist] = SPECIALISTS,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    limits: Limits | None = None,
    home: Path | None = None,
    clock: Callable[[], dt.datetime] = now,
    name: str = "desk",
) -> CompiledStateGraph[Any, Context, Any, Any]:
    """Compile a desk.

    Args:
        model: Router model in place of the configured one; specialists then work without a model unless one is given.
        specialist_model: Model for the specialists in place of the configured one.
        store: Artifact store in place of the configured one.
        specialists: The roster; names, contracts and descriptions are checked here.
        checkpointer: Saver for scripts; servers bring their own.
        limits: Budgets of each case; the context of a run may change them.
        home: Folder of run data.
        clock: Source of the time in UTC.
        name: Graph name, as Studio shows it.

    Raises:
        RegistryError: A specialist cannot be registered.
        SettingsError: The prompt budget cannot hold; the message spells the sum out.
    """
    desk = desk_of(
        specialists,
        given_limits=limits,
        given_home=home,
        given_store=store,
        given_model=model,
        given_specialist_model=specialist_model,
        clock=clock,
    )
    if limits is not None:
        desk.setup(Context())
    return workflow(desk).compile(checkpointer=checkpointer, name=name)


def workflow(desk: Desk) -> StateGraph[Any, Context, Any, Any]:
    """Return the uncompiled graph of a desk: nodes and edges derive from its specialists."""
    state = state_for(desk.registry)
    graph: StateGraph[Any, Context, Any, Any] = StateGraph(state, Context, input_schema=DeskInput, output_schema=output_for(state))
    graph.add_node("intake", Node(make_intake(desk)), input_schema=IntakeView)
    graph.add_edge(START, "intake")
    return wired(graph, desk, make_answer(desk))


def wired(graph: StateGraph[Any, Context, Any, Any], desk: Desk, answer: Any, reads: Any = View) -> StateGraph[Any, Context, Any, Any]:
    """Add the nodes and edges behind intake up to the answer; `reads` is what the answer's node is shown."""
    names = tuple(desk.specialists)
    graph.add_node("supervisor", Node(make_supervisor(desk)), input_schema=SupervisorView, destinations=(*names, "ask", "answer"))
    for specialist in desk.specialists.values():
        graph.add_node(specialist.name, Node(make_specialist(desk, specialist)), input_schema=View)
        graph.add_edge(specialist.name, "supervisor")
    graph.add_node("ask", Node(make_ask(desk)), input_schema=View)
    graph.add_node("answer", Node(answer), input_schema=reads)
    graph.add_edge("intake", "supervisor")
    graph.add_edge("ask", "supervisor")
    graph.add_edge("answer", END)
    return graph


graph = build()
