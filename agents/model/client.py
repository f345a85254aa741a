"""The chat client and its errors, read: the only module that imports the OpenAI packages, loaded when a model is first called."""

import datetime as dt
import email.utils
import json
import re
from collections.abc import Mapping
from typing import Any

import openai
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages.tool import invalid_tool_call
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from agents.model.faults import Fault, redact
from agents.model.objects import says_twice
from agents.model.settings import ModelChoice

_WINDOW = re.compile(
    r"context_length_exceeded|exceed_context_size|(maximum|model'?s?|available) context|context (window|length|size)"
    r"|prompt is too long|too many (input )?tokens",
    re.I,
)
_QUOTA = re.compile(
    r"insufficient_(user_)?quota|exceeded your current quota|quota is not enough|daily limit|billing|credit balance|no credits"
    r"|insufficient (credit|balance|funds)|balance is (insufficient|too low)",
    re.I,
)
_WORDS = ("message", "detail", "msg", "base_resp")
_REASONING = ("reasoning_content", "reasoning", "reasoning_text", "reasoning_details", "thinking")


class ProviderError(ValueError):
    """An error that came inside HTTP 200."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class Chat(ChatOpenAI):
    """`ChatOpenAI` that keeps a provider's own words, and notes a reply that only reasoned."""

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        body = response if isinstance(response, dict) else response.model_dump(warnings=False) if isinstance(response, openai.BaseModel) else {}
        if error := body.get("error"):
            fields = error if isinstance(error, Mapping) else {"message": str(error)}
            raise ProviderError(str(fields.get("message") or fields), f"{fields.get('code')} {fields.get('type')}")
        choices = body.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping) or not isinstance(choices[0].get("message"), Mapping):
            said = next((body[key] for key in _WORDS if body.get(key)), response if isinstance(response, str) else "the reply holds no choices")
            raise ProviderError(str(said), "")
        message = choices[0]["message"]
        body["usage"] = _sound_usage(body.get("usage"))
        result = super()._create_chat_result({**body, "choices": [{**choices[0], "message": {**message, "role": "assistant"}}]}, generation_info)
        made: Any = result.generations[0].message
        if any(message.get(key) for key in _REASONING):
            made.additional_kwargs["reasoned"] = True
        raw = [(call.get("id"), call["function"]) for call in message.get("tool_calls") or () if isinstance(call.get("function"), Mapping)]
        if any(says_twice(given.get("arguments")) for _, given in raw):
            # Parsed arguments would keep the last of two values without a word.
            made.tool_calls = []
            made.invalid_tool_calls = [
                invalid_tool_call(name=given.get("name"), args=given.get("arguments"), id=name, error="a key stands twice") for name, given in raw
            ]
        return result


def make_chat(choice: ModelChoice) -> Chat:
    """Make the client: only configured parameters, no retries of its own, nothing from ambient variables, never streaming."""
    return Chat(
        model=choice.model,
        base_url=choice.base_url,
        api_key=choice.api_key or SecretStr("none"),
        timeout=choice.timeout,
        max_retries=0,
        use_responses_api=False,
        disable_streaming=True,
        http_async_client=openai.DefaultAsyncHttpxClient(timeout=choice.timeout),
        # A kept connection outlives its event loop; it pays where there is a TLS handshake to save.
        default_headers=None if choice.base_url.startswith("https:") else {"Connection": "close"},
        temperature=choice.temperature,
        max_completion_tokens=choice.max_tokens,
        extra_body=choice.extra or None,
    )


def classify(error: BaseException, choice: ModelChoice) -> tuple[Fault, str, float | None]:
    """Return the named fault, the endpoint's own words without secrets, and the wait in seconds that it asks for."""
    status = getattr(error, "status_code", None)
    words, code = _words(error), f"{getattr(error, 'code', '')} {getattr(error, 'type', '')}"
    said = redact(f"HTTP {status}: {words}" if status else words, [choice.api_key.get_secret_value()] if choice.api_key else ())
    whole = f"{code} {words}"[:4000]
    wait = _retry_after(error)
    if isinstance(error, openai.APITimeoutError):
        return Fault.TIMEOUT, f"no complete answer within {choice.timeout:g} s", None
    if isinstance(error, openai.APIConnectionError | OSError):
        return Fault.UNAVAILABLE, "no connection to the endpoint", None
    if isinstance(error, ContextOverflowError) or (status not in (401, 403, 404, 429) and _WINDOW.search(whole)):
        return Fault.WINDOW_EXCEEDED, said, None
    if status == 402 or (status in (None, 200, 400, 401, 403, 429) and _QUOTA.search(whole)):
        return Fault.QUOTA, said, None
    if status == 429 or (status is None and re.search(r"\b429\b|rate.?limit", code, re.I)):
        return Fault.RATE_LIMIT, said, wait
    if status in (401, 403):
        return Fault.AUTH, said, None
    if isinstance(status, int) and (status >= 500 or status in (408, 409, 425)) and status != 501:
        return Fault.UNAVAILABLE, said, wait
    if isinstance(status, int) and status >= 400:
        return (Fault.CONTENT_FILTER if "content_filter" in code or "content management policy" in words else Fault.BAD_REQUEST), said, None
    return Fault.PROVIDER_ERROR, said if isinstance(error, ProviderError) else f"the endpoint's reply cannot be read ({type(error).__name__})", wait


def _words(error: BaseException) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        for key in (*_WORDS, "error"):
            if body.get(key):
                return body[key] if isinstance(body[key], str) else json.dumps(body[key], default=str)
    return str(body) if isinstance(body, str) and body else str(error)


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value and re.fullmatch(r"\s*\d+(\.\d+)?\s*", value):
            return float(value) / unit
        if value:
            try:
                return max(0.0, (email.utils.parsedate_to_datetime(value) - dt.datetime.now(dt.UTC)).total_seconds())
            except (ValueError, TypeError):
                continue
    return None


def _sound_usage(usage: Any) -> dict[str, Any] | None:
    """Keep token counts that can be true; a gateway that reports zeros or text reports nothing."""
    if not isinstance(usage, Mapping):
        return None
    counts = {key: usage.get(key) for key in ("prompt_tokens", "completion_tokens")}
    if any(type(value) is not int or value < 0 for value in counts.values()) or not counts["prompt_tokens"]:
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    known = type(cached) is int and 0 <= cached <= int(counts["prompt_tokens"] or 0)
    return counts | ({"prompt_tokens_details": {"cached_tokens": cached}} if known else {})
