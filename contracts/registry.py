"""Which specialists exist and what each may hand back; checked when it is built, not at the first model call."""

import datetime as dt
import enum
import re
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from contracts.errors import RegistryError
from contracts.returns import Facts, Return
from contracts.text import Capped, one_line
from contracts.tokens import estimate

NAME = re.compile(r"^[a-z][a-z0-9_-]{0,63}$")
SELF = frozenset("supervisor router desk self me myself you yourself assistant orchestrator".split())
"""Names under which a router means itself."""
FINISH = frozenset("finish finished end stop done complete completed final".split())
"""Spellings of the end of a case in a router's reply."""
RESERVED = (SELF | FINISH).union(
    """
    intake ask answer listen start goal criteria ledger artifacts messages heard system user tool dispatch
    resident approver human person people none null all any anyone anybody everyone everybody someone somebody nobody other others more
    help run next back
    """.split()
)
"""What the graph, the router's replies and the people round it are called."""
START = "start"
DESCRIPTION = Capped(tokens=40, bytes=240)


@dataclass(frozen=True, kw_only=True)
class Contract:
    """What the ledger needs to know of a specialist: its name, its roster line and its return contract."""

    name: str
    """Node name and name in the prompt: lower case, letters, digits, `_`, `-`, at most 64 characters."""
    description: str
    """One line for the router, at most 40 tokens."""
    returns: type[Return]
    """Its `Return` subclass, with a closed `facts` model."""
    after: tuple[str, ...] | None = None
    """Optional allow-list of edges: who may come directly before it (`start` for nobody yet); None allows any."""


Registry = Mapping[str, Contract]


def registry_of(specialists: Iterable[Contract]) -> Registry:
    """Index specialists by name.

    Raises:
        RegistryError: A name is unsafe, reserved or used twice, a description is too long, or facts hold free prose.
    """
    found: dict[str, Contract] = {}
    for contract in specialists:
        check_contract(contract)
        if other := next((name for name in found if _spelling(name) == _spelling(contract.name)), None):
            how = "is registered twice" if other == contract.name else f"differs from {other!r} in separators alone"
            raise RegistryError(f"specialist {contract.name!r} {how}: rename one of the two")
        found[contract.name] = contract
    if not found:
        raise RegistryError("no specialist is registered: add at least one to the registry")
    for contract in found.values():
        for name in contract.after or ():
            if name not in found and name != START:
                raise RegistryError(f"specialist {contract.name!r} may follow {name!r}, which is not registered")
    return types.MappingProxyType(found)


def check_contract(contract: Contract) -> None:
    """Refuse a specialist that a model API, the graph or the ledger could not carry."""
    name = contract.name
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise RegistryError(f"specialist name {name!r} is not usable: lower-case letters, digits, _ and -, first a letter, at most 64 characters")
    if _spelling(name) in RESERVED:
        raise RegistryError(f"specialist name {name!r} is reserved by the desk: choose another")
    if not contract.description.strip() or one_line(contract.description) != contract.description:
        raise RegistryError(f"specialist {name!r} needs a description of one line, without control or invisible characters")
    size, count = len(contract.description.encode()), estimate(contract.description)
    if count > DESCRIPTION.tokens or size > DESCRIPTION.bytes:
        raise RegistryError(
            f"specialist {name!r}: description has about {count} tokens and {size} bytes, the cap is {DESCRIPTION.tokens} and {DESCRIPTION.bytes}"
        )
    if not (isinstance(contract.returns, type) and issubclass(contract.returns, Return)):
        raise RegistryError(f"specialist {name!r}: returns must be a subclass of contracts.Return")
    facts = contract.returns.model_fields["facts"].annotation
    if not (isinstance(facts, type) and issubclass(facts, Facts)):
        raise RegistryError(f"specialist {name!r}: facts must be a subclass of contracts.Facts")
    check_facts(name, facts)


def _spelling(name: str) -> str:
    """Return what a model's reply and a Python module make of a name."""
    return re.sub("[_-]+", "_", name).strip("_")


def check_facts(name: str, facts: type[BaseModel]) -> None:
    """Refuse a facts model with open or free-text fields: enums, numbers, dates, flags and bounded ids only."""
    for field, info in facts.model_fields.items():
        if not _is_plain(info.annotation, info.metadata):
            raise RegistryError(
                f"specialist {name!r}: fact {field!r} may be an enum, a number, a flag, a date or an id (a string with a pattern and "
                "max_length of at most 64), a tuple of these with max_length of at most 8, or one of them or None; free text belongs into an artifact"
            )


def _is_plain(kind: Any, metadata: Iterable[Any]) -> bool:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        own = [part for item in arguments[1:] for part in (item.metadata if isinstance(item, FieldInfo) else [item])]
        return _is_plain(arguments[0], [*metadata, *own])
    if origin is Literal:
        return all(isinstance(value, (str, int)) and len(str(value)) <= 64 for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return all(part is type(None) or _is_plain(part, metadata) for part in arguments)
    if origin is tuple:
        return _limit(metadata, "max_length", 8) and all(part is Ellipsis or _is_plain(part, ()) for part in arguments)
    if kind is str:
        return _limit(metadata, "max_length", 64) and any(getattr(item, "pattern", None) for item in metadata)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return all(isinstance(item.value, (str, int)) and len(str(item.value)) <= 64 for item in kind)
    return kind in (int, float, bool, dt.date, dt.datetime)


def _limit(metadata: Iterable[Any], name: str, most: int) -> bool:
    return any((value := getattr(item, name, None)) is not None and value <= most for item in metadata)
