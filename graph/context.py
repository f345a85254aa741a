"""What one run may set: models, budgets, prompts. Read through `context_of`, because a bare invoke has no context."""

from dataclasses import dataclass, field
from typing import Annotated

from langgraph.runtime import Runtime
from pydantic import Field

from ledger import RULES, Limits


@dataclass(frozen=True, kw_only=True)
class Context:
    """Settings of one run; each has a default, and Studio shows each with its description."""

    router_model: Annotated[str | None, Field(description="Model that routes and writes the answer; empty for the configured one.")] = field(
        default=None, metadata={"langgraph_nodes": ["intake", "supervisor", "answer"]}
    )
    specialist_model: Annotated[str | None, Field(description="Model the specialists work with; empty for the configured one.")] = None
    router_rules: Annotated[str, Field(max_length=2000, description="The router's rules, part of its system prompt.")] = RULES
    answer_style: Annotated[str, Field(max_length=2000, description="Extra wishes for the final text, such as a tone or a length.")] = ""
    budget: Annotated[int | None, Field(description="Most tokens of a router prompt; empty for the configured budget.")] = None
    max_hops: Annotated[int | None, Field(description="Most dispatches and questions of one case.")] = None
    max_parallel: Annotated[int | None, Field(description="Most specialists at once.")] = None
    max_tokens: Annotated[int | None, Field(description="Most tokens of one case in all; 0 for no limit.")] = None
    max_seconds: Annotated[float | None, Field(description="Most seconds of one case; 0 for no limit.")] = None
    ask_people: Annotated[bool, Field(description="Pause for a person's answer; when off, open questions lapse.")] = True
    approvals: Annotated[bool, Field(description="Ask before a side effect such as filing a request.")] = False

    def limits(self, base: Limits) -> Limits:
        """Return the limits of this run over the configured ones."""
        names = ("budget", "max_hops", "max_parallel", "max_tokens", "max_seconds")
        return Limits.model_validate(base.model_dump() | {name: value for name in names if (value := getattr(self, name)) is not None})


def context_of(runtime: Runtime[Context]) -> Context:
    """Return the run's context, or the defaults."""
    given: Any = runtime.context
    if given is None:
        return Context()
    return given if isinstance(given, Context) else Context(**given)
