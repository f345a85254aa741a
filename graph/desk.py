"""The desk: what all nodes of one graph share, made lazily and only once."""

import asyncio
import datetime as dt
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from agents.model.calls import Cost
from agents.model.endpoint import Endpoint
from agents.model.settings import OFFLINE, ModelChoice, ModelSettings, loaded
from agents.offline.routing import OfflineRouter
from agents.specialist import Specialist
from contracts import Registry, SettingsError, registry_of
from graph.context import Context
from graph.events import event
from graph.folding import folded
from graph.keeping import reach
from graph.settings import DeskSettings
from graph.telemetry import observe
from ledger import Limits, Setup, Spent, check_budget
from ledger.alarms import alarms
from ledger.events import roster_of
from ledger.figures import figures
from ledger.render import worst_case
from store.guarded import guarded
from store.protocol import ArtifactStore

JSON = dict[str, Any]
log = logging.getLogger("ledger")
WATCH = 16
"""Decisions between two looks at a running case's figures."""


def desk_of(specialists: Sequence[Specialist], **given: Any) -> "Desk":
    """Return a desk over these specialists, checked; what is not given comes from the environment on first use.

    Raises:
        RegistryError: A specialist cannot be registered.
    """
    return Desk(specialists={item.name: item for item in specialists}, registry=registry_of(specialists), **given)


def now() -> dt.datetime:
    """Return the time in UTC."""
    return dt.datetime.now(dt.UTC)


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Specialists, store, models and clock of one graph."""

    specialists: Mapping[str, Specialist]
    registry: Registry
    given_limits: Limits | None = None
    given_home: Path | None = None
    given_store: ArtifactStore | None = None
    given_model: BaseChatModel | None = None
    given_specialist_model: BaseChatModel | None = None
    clock: Callable[[], dt.datetime] = now
    _endpoints: dict[tuple[str, str | int | None], Endpoint | None] = field(default_factory=dict, repr=False)
    """Models by their part and the name that a run's context gives; the offline router by its most parallel work."""
    _told: dict[str, set[tuple[str, str]]] = field(default_factory=dict, repr=False)
    _reached: Event = field(default_factory=Event, repr=False)

    @cached_property
    def settings(self) -> DeskSettings:
        """The environment's settings, read on first use."""
        return loaded(DeskSettings)

    @property
    def limits(self) -> Limits:
        """Budgets of a case, before a run's context changes them."""
        return self.given_limits or self.settings.limits(tuple(self.registry.values()))

    @property
    def home(self) -> Path:
        """Folder of run data."""
        return self.given_home or self.settings.home

    @cached_property
    def store(self) -> ArtifactStore:
        """The artifact store, opened on first use."""
        return self.settings.store(self.home) if self.given_store is None else guarded(self.given_store)

    async def ready(self) -> None:
        """Reach the configured store once, at first use.

        Raises:
            SettingsError: The settings name no usable store, or the home folder cannot be made.
            StoreUnavailable: It does not answer.
        """
        if self.given_store is None and not self._reached.is_set():
            try:
                await asyncio.to_thread(self.home.mkdir, parents=True, exist_ok=True)
            except OSError as error:
                raise SettingsError(f"the run folder {self.home} cannot be made ({error.strerror}): set DESK_HOME to a folder of yours") from None
            await reach(self.store)
            self._reached.set()

    def router(self, context: Context) -> Endpoint:
        """Return the model that routes and writes the answer; without one, the offline router."""
        return self._endpoint("router", self.given_model, context.router_model) or self._offline(context)

    def specialist_model(self, context: Context) -> Endpoint | None:
        """Return the model that specialists work with, or None when they work without one."""
        if self.given_model is not None and self.given_specialist_model is None:
            return None
        return self._endpoint("specialist", self.given_specialist_model, context.specialist_model)

    def is_offline(self, context: Context) -> bool:
        """Whether the offline router routes."""
        return self.router(context).choice.is_offline

    def setup(self, context: Context) -> Setup:
        """Return what is fixed when a case opens."""
        setup = Setup(roster=roster_of(self.registry.values()), limits=context.limits(self.limits), rules=context.router_rules)
        check_budget(worst_case(setup))
        return setup

    def instant(self) -> str:
        """Return the time as events carry it."""
        return self.clock().isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def fold(self, ledger: Any, events: Any) -> JSON:
        """Fold events as the reducer will, so that a node can go on with the result."""
        result: JSON = folded(ledger, events, self.registry)
        return result

    def age(self, ledger: JSON) -> float:
        """Return for how many seconds a case has been open."""
        return (self.clock() - dt.datetime.fromisoformat(ledger["opened_at"])).total_seconds()

    def seconds(self, ledger: JSON) -> float:
        """Return how long one step may take now: its own limit, or what is left of the case's time if that is less."""
        most: float = ledger["setup"]["limits"]["max_seconds"]
        return min(self.settings.specialist_timeout, max(0.0, most - self.age(ledger))) if most else self.settings.specialist_timeout

    def told_alarms(self, case: str) -> set[tuple[str, str]]:
        """Return the alarms of a case that were told already, to be added to."""
        return self._told.setdefault(case, set())

    def forget(self, case: str) -> None:
        """Drop what was kept for a case that is closed."""
        self._told.pop(case, None)

    def _endpoint(self, role: str, given: BaseChatModel | None, wanted: str | None) -> Endpoint | None:
        key = (role, None if given is not None else wanted)
        if key not in self._endpoints:
            self._endpoints[key] = _configured(role, wanted) if given is None else _given(given)
        return self._endpoints[key]

    def _offline(self, context: Context) -> Endpoint:
        most = context.max_parallel or (self.given_limits or self.settings).max_parallel
        found = self._endpoints.get((OFFLINE, most))
        if found is None:
            router = OfflineRouter(specialists=tuple(self.specialists.values()), parallel=most)
            found = self._endpoints[OFFLINE, most] = Endpoint(ModelChoice(model=OFFLINE), router)
        return found


def _given(model: BaseChatModel) -> Endpoint:
    name = str(getattr(model, "model_name", None) or getattr(model, "model", None) or model.__class__.__name__)
    return Endpoint(ModelChoice(model=name), model)


def _configured(role: str, wanted: str | None) -> Endpoint | None:
    settings = loaded(ModelSettings)
    if wanted:
        settings = settings.model_copy(update={f"{role}_model": wanted})
    choice = settings.router() if role == "router" else settings.specialist()
    return Endpoint(choice) if choice else None


def spent_of(cost: Cost, started: float | None = None) -> Spent:
    """Return what was used as an event carries it; `started` is a monotonic time in seconds."""
    ms = round(1000 * (time.monotonic() - started)) if started is not None else 0
    source: Any = cost.tokens_source
    return Spent(tokens_in=cost.tokens_in, tokens_out=cost.tokens_out, tokens_source=source, calls=cost.calls, ms=ms)


def tell(runtime: Runtime[Context], kind: str, **fields: Any) -> None:
    """Send one custom stream event (see `graph.events`), its telemetry, and one structured log line."""
    told = event(kind, **fields)
    runtime.stream_writer(told)
    observe(told)
    level = logging.WARNING if kind in ("rejected", "alarm") else logging.INFO
    log.log(level, "%s", kind, extra={"ledger_event": told})


def watch(desk: Desk, runtime: Runtime[Context], ledger: JSON, artifacts: JSON) -> None:
    """Tell the alarms of a run, each once; the whole figures are due at every WATCH decisions and at the end."""
    if ledger["status"] == "open" and ledger["counts"]["decisions"] % WATCH:
        return
    told = desk.told_alarms(ledger["case"])
    for alarm in alarms(figures(ledger, artifacts)):
        if (alarm.code, alarm.specialist) not in told:
            told.add((alarm.code, alarm.specialist))
            tell(runtime, "alarm", case=ledger["case"], **alarm.as_json())
    if ledger["status"] != "open":
        desk.forget(ledger["case"])
