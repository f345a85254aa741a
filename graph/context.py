"""What one run may set: models, budgets, prompts. Read through `context_of`, because a bare invoke has no context."""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, get_type_hints

from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from agents.model.settings import refusals
from agents.registry import SPECIALISTS
from contracts import SettingsError
from graph.settings import limits_of
from ledger import RULES, Limits


def _at(*nodes: str, kind: str | None = None) -> dict[str, Any]:
    """Return what makes Studio show a field on these nodes."""
    return {"langgraph_nodes": list(nodes)} | ({"langgraph_type": kind} if kind else {})


_ROUTER = _at("intake", "supervisor", "answer")
_RULES = _at("supervisor", kind="prompt")
_STYLE = _at("answer", kind="prompt")
_SPECIALISTS = _at(*(item.name for item in SPECIALISTS))
_CASE = _at("supervisor")


@dataclass(frozen=True, kw_only=True)
class Context:
    """Settings of one run; each has a default, and Studio shows each with its description."""

    router_model: Annotated[
        str | None, Field(description="Model that routes and writes the answer; empty for the configured one.", json_schema_extra=_ROUTER)
    ] = None
    specialist_model: Annotated[
        str | None, Field(description="Model the specialists work with; empty for the configured one.", json_schema_extra=_SPECIALISTS)
    ] = None
    router_rules: Annotated[str, Field(max_length=2000, description="The router's rules, part of its system prompt.", json_schema_extra=_RULES)] = (
        RULES
    )
    answer_style: Annotated[
        str, Field(max_length=2000, description="Extra wishes for the final text, such as a tone or a length.", json_schema_extra=_STYLE)
    ] = ""
    budget: Annotated[int | None, Field(description="Most tokens of a router prompt; empty for the configured budget.", json_schema_extra=_CASE)] = (
        None
    )
    max_hops: Annotated[int | None, Field(description="Most dispatches and questions of one case.", json_schema_extra=_CASE)] = None
    max_parallel: Annotated[int | None, Field(description="Most specialists at once.", json_schema_extra=_CASE)] = None
    max_tokens: Annotated[int | None, Field(description="Most tokens of one case in all; 0 for no limit.", json_schema_extra=_CASE)] = None
    max_seconds: Annotated[float | None, Field(description="Most seconds of one case; 0 for no limit.", json_schema_extra=_CASE)] = None
    ask_people: Annotated[bool, Field(description="Pause for a person's answer; when off, open questions lapse.", json_schema_extra=_at("ask"))] = (
        True
    )
    approvals: Annotated[
        bool,
        Field(
            description="Offer side effects such as filing a request, each after a person's yes; when off, there are none.",
            json_schema_extra=_at("ask"),
        ),
    ] = False

    def __post_init__(self) -> None:
        """Refuse values of another type or length; a server hands on whatever JSON a client sent.

        Raises:
            SettingsError: The message names each field and what it must be.
        """
        try:
            _strict().model_validate(vars(self))
        except ValidationError as error:
            raise SettingsError(refusals(error)) from None

    def limits(self, base: Limits) -> Limits:
        """Return the limits of this run over the configured ones; raises as `limits_of` does."""
        names = ("budget", "max_hops", "max_parallel", "max_tokens", "max_seconds")
        return limits_of(base.model_dump() | {name: value for name in names if (value := getattr(self, name)) is not None})


@cache
def _strict() -> type[BaseModel]:
    """Return the model that checks a context: its fields as they are declared, with nothing converted."""
    fields: dict[str, Any] = {name: (hint, ...) for name, hint in get_type_hints(Context, include_extras=True).items()}
    return create_model("Context", __config__=ConfigDict(strict=True), **fields)


def context_of(runtime: Runtime[Context]) -> Context:
    """Return the run's context, or the defaults."""
    given: Any = runtime.context
    if given is None:
        return Context()
    return given if isinstance(given, Context) else Context(**given)
