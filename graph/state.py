"""What the graph carries: the ledger and the artifact handles, and nothing else."""

from typing import Annotated, Any

from langgraph.channels import EphemeralValue, UntrackedValue
from langgraph.managed import RemainingSteps
from pydantic import Field
from typing_extensions import TypedDict

from contracts import Registry, merge_handles
from graph.folding import folded

JSON = dict[str, Any]


Goal = Annotated[str, Field(description="The complaint or question, in the resident's own words. At most 100,000 characters.")]
Criteria = Annotated[
    list[str] | None,
    Field(description="Optional completion criteria, at most 12 lines of at most 120 bytes; proposed from the goal when left out."),
]
Text = Annotated[str, Field(description="The answer for the resident.")]


class DeskInput(TypedDict, total=False):
    """What comes in; both live for one superstep and are turned into an event by intake."""

    # A channel made of the described type shows its description in the server's state schema too.
    goal: Annotated[Goal, EphemeralValue(Goal)]
    criteria: Annotated[Criteria, EphemeralValue(Criteria)]


def state_for(registry: Registry) -> type:
    """Return the state class whose ledger channel judges every return by its specialist's contract in this registry."""

    def reduce_ledger(current: Any, update: Any) -> Any:
        return folded(current, update, registry)

    class State(TypedDict):
        ledger: Annotated[JSON, Field(description="The task ledger: goal, criteria, steps, questions, decisions."), reduce_ledger]
        artifacts: Annotated[JSON, Field(description="Artifact handles by alias; the bodies are in the store."), merge_handles]

    return State


class View(TypedDict):
    """What a node reads."""

    ledger: JSON
    artifacts: JSON


class IntakeView(View, DeskInput, total=False):
    """What intake reads."""


class SupervisorView(View):
    """What the supervisor reads; the caller's recursion limit is a budget too."""

    remaining_steps: RemainingSteps


def output_for(state: type) -> type:
    """Return the output class: the state, and the answer, which no checkpoint holds."""

    class Output(state):  # type: ignore[misc]
        answer: Annotated[Text, UntrackedValue(Text)]

    return Output
