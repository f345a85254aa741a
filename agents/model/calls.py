"""One bounded model call: attempts, waits and time counted in one place, every attempt's tokens counted once."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from langchain_core.exceptions import ModelError
from langchain_core.messages import AIMessage

from agents.model.faults import RETRIED, EndpointError, Fault
from agents.model.settings import ModelChoice
from contracts.tokens import estimate

LONGEST_WAIT = 30.0
"""Seconds that one wait before a retry may take; what asks for more has failed for good."""
BROKEN = (ModelError, ValueError, TypeError, LookupError, AttributeError, RuntimeError, OSError)
"""What a model call may raise for reasons of its own, besides the OpenAI packages' errors."""


MOST_TOKENS = 10**9
"""What one call can use; an endpoint that reports more, or less than nothing, is not believed."""
WEIGHED = 100_000
"""Characters of a reply that are weighed; what an absurd one has beyond them counts in proportion."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one or several requests cost."""

    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    tokens_source: str = "none"
    """`reported` by the endpoint, `estimated` when any part was not, `none` when no tokens were spent."""
    calls: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        """Return the sum; one estimated part makes the sum an estimate."""
        sources = {self.tokens_source, other.tokens_source} - {"none"}
        return Cost(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.tokens_cached + other.tokens_cached,
            "estimated" if "estimated" in sources else "reported" if sources else "none",
            self.calls + other.calls,
        )


async def bounded(send: Callable[[], Awaitable[AIMessage]], choice: ModelChoice, prompt_tokens: int, spent: list[Cost]) -> AIMessage:
    """Send until it succeeds, within the configured attempts and one wall time for all of them; add each attempt's cost to `spent[0]`.

    Raises:
        EndpointError: The call failed for good; it names the fault and the setting to change.
    """
    deadline = time.monotonic() + choice.timeout
    for attempt in range(1, choice.attempts + 1):
        try:
            async with asyncio.timeout_at(asyncio.get_running_loop().time() + deadline - time.monotonic()):
                message = await send()
            spent[0] += cost_of(message, prompt_tokens)
            return message
        except TimeoutError:
            fault, detail, wait = Fault.TIMEOUT, f"no complete answer within {choice.timeout:g} s", None
        except _broken() as error:
            fault, detail, wait = _classify(error, choice)
        billed = fault in (Fault.TIMEOUT, Fault.PROVIDER_ERROR)
        spent[0] += Cost(prompt_tokens, 0, 0, "estimated", 1) if billed else Cost(calls=1)
        wait = min(0.25 * 2**attempt, 8.0) if wait is None else wait
        if fault not in RETRIED or attempt == choice.attempts:
            break
        if wait > LONGEST_WAIT or time.monotonic() + wait >= deadline:
            detail = f"{detail}; a retry would have to wait {wait:.0f} s"
            break
        await asyncio.sleep(wait)
    raise EndpointError(fault, detail)


def _broken() -> tuple[type[Exception], ...]:
    """Return what a model call may raise for reasons of its own; the OpenAI packages are asked only where they are loaded."""
    openai = sys.modules.get("openai")
    return (*BROKEN, openai.OpenAIError) if openai else BROKEN


def _classify(error: Exception, choice: ModelChoice) -> tuple[Fault, str, float | None]:
    if "openai" not in sys.modules:
        return Fault.PROVIDER_ERROR, f"the model raised {type(error).__name__}", None
    from agents.model.client import classify

    return classify(error, choice)


def cost_of(message: AIMessage, prompt_tokens: int) -> Cost:
    """Return what the endpoint reported for a reply, else an estimate."""
    usage = message.usage_metadata
    if usage and 0 < usage["input_tokens"] <= MOST_TOKENS and 0 <= usage["output_tokens"] <= MOST_TOKENS:
        cached = usage.get("input_token_details", {}).get("cache_read") or 0
        return Cost(usage["input_tokens"], usage["output_tokens"], cached if 0 <= cached <= usage["input_tokens"] else 0, "reported", 1)
    said = message.text + "".join(str(call.get("args")) for call in message.tool_calls)
    return Cost(prompt_tokens, estimate(said[:WEIGHED]) * max(len(said), WEIGHED) // WEIGHED, 0, "estimated", 1)


def fault_of(message: AIMessage) -> Fault | None:
    """Name what makes a reply unusable before anyone reads it."""
    reason = message.response_metadata.get("finish_reason")
    if reason == "content_filter":
        return Fault.CONTENT_FILTER
    if message.additional_kwargs.get("refusal"):
        return Fault.REFUSAL
    if reason in ("length", "max_tokens"):
        return Fault.CUT_OFF
    if message.text.strip() or message.tool_calls or message.invalid_tool_calls or message.additional_kwargs.get("function_call"):
        return None
    return Fault.REASONING_ONLY if message.additional_kwargs.get("reasoned") else Fault.EMPTY
