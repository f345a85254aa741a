"""Where the models are and how they are called: the one place that reads model settings."""

import json
import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from contracts.errors import SettingsError

DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-4.1-mini"
OFFLINE = "offline"
"""The model's name that means none: the rules route, and specialists work without one."""


class Method(StrEnum):
    """How a typed answer is asked for."""

    AUTO = "auto"
    JSON_SCHEMA = "json_schema"
    FUNCTION_CALLING = "function_calling"
    JSON_MODE = "json_mode"
    TEXT = "text"


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """One model, ready to be called: what `ModelSettings` says for the router or for specialists."""

    model: str
    base_url: str = field(default=DEFAULT_BASE_URL, repr=False)
    api_key: SecretStr | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float = 60.0
    attempts: int = 3
    method: Method = Method.AUTO
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def is_offline(self) -> bool:
        """Whether this stands for the rules that work without a model."""
        return self.model == OFFLINE

    @property
    def key(self) -> tuple[str, str]:
        """Endpoint and model: what a learned method belongs to."""
        return self.base_url, self.model


S = TypeVar("S", bound=BaseSettings)


def loaded(kind: type[S]) -> S:
    """Read settings, with one clear line for each value that is refused."""
    try:
        return kind()
    except ValidationError as error:
        raise SettingsError(f"wrong setting: {refusals(error)}; see .env.example") from None
    except UnicodeDecodeError:
        raise SettingsError("the file .env is no text in UTF-8: write it anew after .env.example") from None


def refusals(error: ValidationError) -> str:
    """Return which values were refused and what each must be, without the values."""
    wrong = error.errors(include_url=False, include_input=False)
    return "; ".join(f"{item['loc'][0]}: {item['msg'].removeprefix('Value error, ')}" for item in wrong)


def _http(value: str) -> str:
    try:
        parts = urlsplit(value)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and not re.search(r"\s", value)
    except ValueError:
        is_url = False
    if not is_url:
        raise ValueError("must be an address that starts with http:// or https://, with a host and, if any, a port up to 65535")
    return value


def _sendable(value: SecretStr) -> SecretStr:
    if not re.fullmatch(r"[!-~]+", value.get_secret_value()):
        raise ValueError("must be one word of plain ASCII characters")
    return value


def _json_object(value: Any) -> Any:
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ValueError('must be one JSON object, such as {"reasoning_effort": "low"}')
    return found


Url = Annotated[str, AfterValidator(_http)]
"""An address that a client can connect to."""
Key = Annotated[SecretStr, AfterValidator(_sendable)]
"""A credential that fits an HTTP header."""
Name = Annotated[str, BeforeValidator(lambda value: value.strip() if isinstance(value, str) else value), Field(min_length=1)]
Extra = Annotated[dict[str, Any], NoDecode, BeforeValidator(_json_object)]


class ModelSettings(BaseSettings):
    """Model settings from the environment and `.env`; an empty value counts as unset, and only what is set is sent."""

    model_config = SettingsConfigDict(env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True)

    api_key: Key | None = Field(default=None, validation_alias="OPENAI_API_KEY", description="Key of the endpoint; a local server needs none.")
    base_url: Url | None = Field(
        default=None,
        validation_alias="OPENAI_BASE_URL",
        description="Endpoint that speaks chat completions, with its /v1; unset means OpenAI.",
        repr=False,
    )
    router_model: Name | None = Field(
        default=None,
        validation_alias="DESK_ROUTER_MODEL",
        description=f"Model that routes and writes the answer; unset means {DEFAULT_MODEL} where a key or endpoint is set; offline means none.",
    )
    specialist_model: Name | None = Field(
        default=None,
        validation_alias="DESK_SPECIALIST_MODEL",
        description="Model that specialists work with; unset means the router's; offline means that they work without one.",
    )
    specialist_api_key: Key | None = Field(
        default=None, validation_alias="DESK_SPECIALIST_API_KEY", description="Key for the specialists' model when it differs."
    )
    specialist_base_url: Url | None = Field(
        default=None, validation_alias="DESK_SPECIALIST_BASE_URL", description="Endpoint of the specialists' model when it differs.", repr=False
    )
    temperature: float | None = Field(
        default=None, ge=0, le=2, validation_alias="DESK_TEMPERATURE", description="Sampling temperature; sent only when set."
    )
    max_tokens: int | None = Field(default=None, ge=16, validation_alias="DESK_MAX_TOKENS", description="Output cap of one call; sent only when set.")
    timeout: float = Field(
        default=60.0, gt=0, le=3600, validation_alias="DESK_TIMEOUT", description="Seconds for one call, all its attempts and waits together."
    )
    attempts: int = Field(default=3, ge=1, le=10, validation_alias="DESK_ATTEMPTS", description="Most requests for one call, the first included.")
    method: Method = Field(
        default=Method.AUTO,
        validation_alias="DESK_METHOD",
        description="How decisions are asked for: auto, json_schema, function_calling, json_mode or text; auto learns it from the first call.",
    )
    router_extra: Extra = Field(
        default_factory=dict,
        validation_alias="DESK_ROUTER_EXTRA",
        description='JSON object sent as it is with each router call, such as {"reasoning_effort": "low"}.',
    )
    specialist_extra: Extra = Field(
        default_factory=dict, validation_alias="DESK_SPECIALIST_EXTRA", description="The same for the specialists' model."
    )

    def router(self) -> ModelChoice | None:
        """Return the router's model, or None for the offline router: without a key and an endpoint, or when told so."""
        return self._choice(self.router_model, self.base_url, self.api_key, self.router_extra)

    def specialist(self) -> ModelChoice | None:
        """Return the specialists' model, or None when they work without one; a key never goes to an endpoint that it was not set for."""
        own = self.specialist_base_url is not None
        key = self.specialist_api_key if own else self.specialist_api_key or self.api_key
        model, url = self.specialist_model or self.router_model, self.specialist_base_url or self.base_url
        return self._choice(model, url, key, self.specialist_extra)

    def _choice(self, model: str | None, base_url: str | None, key: SecretStr | None, extra: dict[str, Any]) -> ModelChoice | None:
        if model == OFFLINE or (model is None and key is None and base_url is None):
            return None
        return ModelChoice(
            model=model or DEFAULT_MODEL,
            base_url=(base_url or DEFAULT_BASE_URL).rstrip("/"),
            api_key=key,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            timeout=self.timeout,
            attempts=self.attempts,
            method=self.method,
            extra=extra,
        )
