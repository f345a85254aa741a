"""File a service request with a city's Open311 GeoReport v2 server: form-encoded, bounded in time, never twice for one key."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from agents.model.settings import Url
from contracts import DeskError, clip, one_line

MOST_DESCRIPTION = 4_000
"""Characters of a description that the specification allows."""


class Open311Settings(BaseSettings):
    """Where requests are filed; without a URL none are."""

    model_config = SettingsConfigDict(env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True)

    url: Url | None = Field(
        default=None, validation_alias="OPEN311_URL", description="Base URL of a GeoReport v2 server; unset means that nothing is filed."
    )
    api_key: SecretStr | None = Field(
        default=None, validation_alias="OPEN311_API_KEY", description="Key that the server asks for when a request is filed."
    )
    jurisdiction: str | None = Field(
        default=None, validation_alias="OPEN311_JURISDICTION", description="Sent as jurisdiction_id where a server has several."
    )
    timeout: float = Field(
        default=10.0, gt=0, le=120, validation_alias="OPEN311_TIMEOUT", description="Seconds that one call to the server may take."
    )


class Open311Error(DeskError, RuntimeError):
    """The server refused, did not answer, or did not speak GeoReport v2."""


@dataclass(frozen=True, slots=True)
class Service:
    """One kind of request that the server takes."""

    name: str
    """Its service_code."""
    description: str
    """Name, group and keywords in one line."""
    title: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """A filed request."""

    id: str
    """Its service_request_id; empty while the server has given a token only."""
    notice: str
    token: str = ""


class Open311:
    """One server."""

    def __init__(self, settings: Open311Settings) -> None:
        """Use these settings; nothing is called yet."""
        self._settings = settings

    async def services(self) -> tuple[Service, ...]:
        """Return the services that need no further attributes."""
        found = await self._call("GET", "services.json")
        return tuple(_service(item) for item in found if str(item.get("metadata", "")).casefold() != "true" and item.get("service_code"))

    async def file(self, service: str, address: str, description: str, key: str) -> Receipt:
        """File a request, or return the one that was filed under this key before; `key` goes into the description as its reference.

        Raises:
            Open311Error: It was refused, or nobody knows whether it was filed; the next attempt looks for it first.
        """
        if earlier := await self._filed(service, key):
            return earlier
        text = f"{description[: MOST_DESCRIPTION - len(key) - 16]} (ref {key})"
        form = {"service_code": service, "address_string": address, "description": text}
        if self._settings.api_key:
            form["api_key"] = self._settings.api_key.get_secret_value()
        found = await self._call("POST", "requests.json", form)
        receipt = _receipt(found[0] if found else {})
        if not receipt.id and receipt.token:
            named = await self._call("GET", f"tokens/{receipt.token}.json")
            receipt = Receipt(_receipt(named[0] if named else {}).id, receipt.notice, receipt.token)
        if not receipt.id and not receipt.token:
            raise Open311Error("the Open311 server took the request and gave neither service_request_id nor token")
        return receipt

    async def _filed(self, service: str, key: str) -> Receipt | None:
        recent = await self._call("GET", "requests.json", {"service_code": service})
        return next((_receipt(item) for item in recent if f"(ref {key})" in str(item.get("description") or "")), None)

    async def _call(self, method: str, path: str, values: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        settings = self._settings
        fields = {**(values or {}), **({"jurisdiction_id": settings.jurisdiction} if settings.jurisdiction else {})}
        given: dict[str, Any] = {"data": fields} if method == "POST" else {"params": fields}
        base = str(settings.url).rstrip("/")
        # Made in a thread: a client reads certificate files.
        client = await asyncio.to_thread(httpx.AsyncClient, timeout=settings.timeout)
        try:
            async with client, asyncio.timeout(settings.timeout):
                reply = await client.request(method, f"{base}/{path}", **given)
        except (TimeoutError, httpx.TimeoutException):
            raise Open311Error(f"the Open311 server gave no answer to {method} {path} within {settings.timeout:g} s") from None
        except httpx.HTTPError as error:
            raise Open311Error(f"the Open311 server cannot be reached ({type(error).__name__}): check OPEN311_URL") from None
        return self._read(reply, f"{method} {path}")

    def _read(self, reply: httpx.Response, what: str) -> list[dict[str, Any]]:
        try:
            found = reply.json()
        except ValueError:
            found = None
        items = [item for item in (found if isinstance(found, list) else [found]) if isinstance(item, dict)]
        if reply.is_error:
            said = "; ".join(f"{item.get('code', '')} {item.get('description', '')}".strip() for item in items)
            if key := self._settings.api_key:
                said = said.replace(key.get_secret_value(), "[key]")
            hint = ": check OPEN311_API_KEY" if reply.status_code == 403 else ""
            raise Open311Error(
                f"the Open311 server refused {what} with HTTP {reply.status_code} ({clip(one_line(said), tokens=24) or 'no reason'}){hint}"
            )
        if found is None:
            raise Open311Error(f"the Open311 server answered {what} with something that is not JSON")
        return items


def _service(item: Mapping[str, Any]) -> Service:
    words = [one_line(str(item.get(key) or ""))[:200] for key in ("service_name", "description", "keywords", "group")]
    return Service(name=str(item["service_code"]), description="; ".join(filter(None, words)), title=words[0] or str(item["service_code"]))


def _receipt(item: Mapping[str, Any]) -> Receipt:
    number, notice, token = (one_line(str(item.get(key) or ""))[:120] for key in ("service_request_id", "service_notice", "token"))
    return Receipt(number, notice, token)
