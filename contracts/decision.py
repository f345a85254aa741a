"""The router's decision: a closed schema for picking names, and nothing else."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from contracts.handles import Alias
from contracts.returns import MAX_CRITERIA, Closed, CriterionId
from contracts.text import Capped

ASK = Capped(tokens=56, bytes=240)
REASON = Capped(tokens=56, bytes=240, empty=True)
MAX_DISPATCH = 8


class Action(StrEnum):
    """What the router may do."""

    DISPATCH = "dispatch"
    ASK = "ask"
    FINISH = "finish"


class Dispatch(Closed):
    """One piece of work for one specialist."""

    specialist: Annotated[str, StringConstraints(max_length=64)]
    ask: Annotated[str, ASK]
    handles: tuple[Alias, ...] = Field(default=(), max_length=8)


class Decision(Closed):
    """One routing decision. `out_of_scope` names criteria that no specialist covers; code checks that none was tried."""

    reason: Annotated[str, REASON]
    action: Action
    dispatch: tuple[Dispatch, ...] = Field(default=(), max_length=MAX_DISPATCH)
    out_of_scope: tuple[CriterionId, ...] = Field(default=(), max_length=MAX_CRITERIA)
