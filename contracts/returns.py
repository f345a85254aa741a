"""Return contracts: the small typed object that a specialist may hand back, and nothing else."""

import re
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from contracts.handles import Alias
from contracts.text import Capped

HEADLINE = Capped(tokens=24, bytes=120)
OUTCOME = Capped(tokens=110, bytes=480)
QUESTION = Capped(tokens=40, bytes=200)
CAUSE = Capped(tokens=40, bytes=200)
MAX_ARTIFACTS = 8
MAX_QUESTIONS = 3

CriterionId = Annotated[str, StringConstraints(pattern=r"^c[1-9][0-9]?$")]

_STOCK = re.compile(
    r"^(all |task |work |request |case |it is |it's |i am |i'm )*(is |are |has been |have been )*"
    r"(done|ok(ay)?|completed?|finished|success(ful(ly)?)?|n/?a|none|nothing|yes|no|null|resolved|handled|complete now|tbd)( now| here)?$"
    r"|^(please )?(see|refer to|as (stated|said|noted|described)|check)\b.{0,40}\b(above|below|before|previous(ly)?|earlier|attached|message|artifacts?|report|history)\b.{0,20}$"
)


class Status(StrEnum):
    """How a specialist's work ended."""

    DONE = "done"
    PARTIAL = "partial"
    BLOCKED = "blocked"
    FAILED = "failed"


class Audience(StrEnum):
    """Who can answer a question."""

    RESIDENT = "resident"
    APPROVER = "approver"


class Closed(BaseModel):
    """Base of everything that crosses the desk: no unknown keys, no changes after validation."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Facts(Closed):
    """Base of a specialist's typed facts: enums, numbers, dates and ids; `check_facts` refuses free prose."""


class Question(Closed):
    """Something only a person can say; the `ask` node puts it to them."""

    text: Annotated[str, QUESTION] = Field(description="One plain question.")
    to: Audience = Field(description="resident, or approver for a side effect that needs a yes.")


class Return(Closed):
    """Base of every return contract. Subclass it with a closed `facts` model of your own."""

    status: Status = Field(description="done, partial, blocked (with a question) or failed.")
    headline: Annotated[str, HEADLINE] = Field(description="One line for the router: what was found.")
    outcome: Annotated[str, OUTCOME] = Field(description="One paragraph for the router, not for the resident.")
    facts: Facts = Field(description="The specialist's own typed facts.")
    artifacts: tuple[Alias, ...] = Field(max_length=MAX_ARTIFACTS, description="Aliases of the artifacts stored for this step.")
    settles: tuple[CriterionId, ...] = Field(max_length=12, description="Criteria that the artifacts give evidence for.")
    questions: tuple[Question, ...] = Field(max_length=MAX_QUESTIONS, description="Open questions, each with whom it is for.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.status is Status.DONE and is_content_free(self.outcome):
            raise PydanticCustomError("content_free", "the outcome says nothing: name what was found, with ids and dates")
        if self.status is Status.BLOCKED and not self.questions:
            raise PydanticCustomError("no_question", "blocked needs a question that says what is missing")
        return self


def is_content_free(text: str) -> bool:
    """Say whether an outcome carries nothing: blank, stock phrases such as 'Done.' or 'See above', or no words."""
    bare = re.sub(r"[^\w/' ]+", " ", text.casefold())
    bare = re.sub(r"\s+", " ", bare).strip()
    letters = sum(char.isalnum() for char in bare)
    return letters < 6 or bool(_STOCK.match(bare))
