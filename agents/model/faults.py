"""Everything that can be wrong with a model call or its reply, by name, in words that are safe to show."""

import re
from collections.abc import Iterable
from enum import StrEnum

from contracts.errors import DeskError
from contracts.text import one_line


class Fault(StrEnum):
    """Named outcomes of a call that gave no usable answer."""

    AUTH = "auth"
    QUOTA = "quota"
    RATE_LIMIT = "rate_limit"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    BAD_REQUEST = "bad_request"
    WINDOW_EXCEEDED = "window_exceeded"
    PROVIDER_ERROR = "provider_error"
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    CUT_OFF = "cut_off"
    EMPTY = "empty"
    REASONING_ONLY = "reasoning_only"
    UNCLOSED_THINK = "unclosed_think"
    MALFORMED = "malformed"
    PROSE = "prose"
    ANSWERED_ITSELF = "answered_itself"
    WRONG_KEY = "wrong_key"
    UNKNOWN_ACTION = "unknown_action"
    UNKNOWN_SPECIALIST = "unknown_specialist"
    SELF_ROUTE = "self_route"
    AMBIGUOUS = "ambiguous"
    CONTRADICTION = "contradiction"
    NO_CHOICE = "no_choice"


RETRIED = frozenset({Fault.RATE_LIMIT, Fault.UNAVAILABLE, Fault.PROVIDER_ERROR})
"""Faults that the same request may not meet again."""

HINTS = {
    Fault.AUTH: "check OPENAI_API_KEY and OPENAI_BASE_URL",
    Fault.QUOTA: "the account has no quota left: add credit or change OPENAI_API_KEY",
    Fault.RATE_LIMIT: "wait, or raise DESK_TIMEOUT or DESK_ATTEMPTS",
    Fault.TIMEOUT: "raise DESK_TIMEOUT or choose a faster model",
    Fault.UNAVAILABLE: "check OPENAI_BASE_URL and that the server runs",
    Fault.BAD_REQUEST: "check the model's name and DESK_METHOD, DESK_TEMPERATURE, DESK_MAX_TOKENS and the EXTRA settings",
    Fault.WINDOW_EXCEEDED: "lower the prompt budget or choose a model with a larger window",
    Fault.PROVIDER_ERROR: "the provider behind OPENAI_BASE_URL failed",
    Fault.CUT_OFF: "raise DESK_MAX_TOKENS",
}

_SECRETS = (
    (re.compile(r"(\w{1,20}://)[^\s/@]*@"), r"\1…@"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[^\s\"',;]+"), r"\1 …"),
    (re.compile(r"(?i)((?:key|token|secret|password|passwd|pwd)[\"']?\s*(?:[:=]|provided:)\s*[\"']?)[^\s\"',;&]+"), r"\1…"),
    (re.compile(r"\b(?:sk|pk|rk|key|gsk|xai|hf|ghp|lsv2)[-_][\w*.-]{6,}"), "…"),
    (re.compile(r"(?<![\w+/-])(?=[\w+/-]*\d)(?=[\w+/-]*[A-Za-z])[\w+/-]{32,}={0,2}"), "…"),
)


class EndpointError(DeskError, RuntimeError):
    """A model call that failed for good: its named fault and one safe line."""

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(f"{fault}: {describe(fault, detail)}")
        self.fault = fault
        self.detail = detail


def redact(text: str, secrets: Iterable[str] = (), limit: int = 300) -> str:
    """Return `text` as one bounded line without anything that looks like a credential."""
    text = text[:20_000]
    for secret in secrets:
        if secret:
            text = text.replace(secret, "…")
    text = one_line(text)
    for pattern, mark in _SECRETS:
        text = pattern.sub(mark, text)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def describe(fault: Fault, said: str) -> str:
    """Return what the endpoint said and the setting to change, in one line."""
    return f"{said} ({HINTS[fault]})".strip() if fault in HINTS else said
