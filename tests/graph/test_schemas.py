"""What Studio and API clients are shown: described fields, context per node, names, real edges."""

from typing import Any

import pytest

from agents.registry import SPECIALISTS
from contracts.decision import Action
from contracts.registry import RESERVED
from contracts.returns import Audience
from graph.chat import graph as chat
from graph.workflow import graph as desk

NAMES = {item.name for item in SPECIALISTS}
INNER = {"intake", "supervisor", "ask", "answer", *NAMES}


def undescribed(schema: dict[str, Any]) -> list[str]:
    return [name for name, field in schema["properties"].items() if not field.get("description")]


@pytest.mark.parametrize("graph", [desk, chat], ids=["desk", "chat"])
def test_every_field_has_a_description(graph: Any) -> None:
    for schema in (graph.get_input_jsonschema(), graph.get_output_jsonschema(), graph.get_context_jsonschema()):
        assert schema["properties"] and undescribed(schema) == []


def test_what_goes_in_and_comes_out() -> None:
    assert set(desk.get_input_jsonschema()["properties"]) == {"goal", "criteria"}
    assert set(desk.get_output_jsonschema()["properties"]) == {"ledger", "artifacts", "answer"}
    assert set(chat.get_input_jsonschema()["properties"]) == {"messages"}
    assert set(chat.get_output_jsonschema()["properties"]) == {"messages"}


@pytest.mark.parametrize("graph", [desk, chat], ids=["desk", "chat"])
def test_context_fields_stand_on_nodes_that_exist(graph: Any) -> None:
    fields = graph.get_context_jsonschema()["properties"]
    assert all(field["langgraph_nodes"] and set(field["langgraph_nodes"]) <= set(graph.nodes) for field in fields.values())
    assert {name for name, field in fields.items() if field.get("langgraph_type") == "prompt"} == {"router_rules", "answer_style"}
    assert set(fields["specialist_model"]["langgraph_nodes"]) == NAMES


def test_servers_bring_their_own_checkpointer() -> None:
    assert desk.checkpointer is None and chat.checkpointer is None


def test_names_and_edges_are_real() -> None:
    assert (desk.name, chat.name) == ("desk", "chat")
    edges = {(edge.source, edge.target) for edge in desk.get_graph().edges}
    moves = {("supervisor", name) for name in (*NAMES, "ask", "answer")} | {(name, "supervisor") for name in (*NAMES, "ask", "intake")}
    assert edges == moves | {("__start__", "intake"), ("answer", "__end__")}
    more = {(edge.source, edge.target) for edge in chat.get_graph().edges}
    assert more == moves | {("__start__", "listen"), ("answer", "__end__")} | {
        ("listen", name) for name in ("intake", "supervisor", "ask", "__end__")
    }


def test_what_the_graphs_and_the_router_call_things_is_no_specialist() -> None:
    inner = {name for graph in (desk, chat) for name in (*graph.nodes, *graph.channels) if name.isidentifier() and not name.startswith("_")}
    assert inner - NAMES - RESERVED <= {"answer", "remaining_steps"} and {"ledger", "listen", "messages"} <= inner
    assert {*Action, *Audience} <= RESERVED
