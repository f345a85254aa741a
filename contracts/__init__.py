"""Return contracts, handles, decisions and the registry: the words that every other layer speaks."""

from contracts.decision import Action, Decision, Dispatch
from contracts.errors import DeskError, InputError, LedgerError, RegistryError, SettingsError
from contracts.handles import Handle, merge_handles
from contracts.registry import Contract, Registry, registry_of
from contracts.returns import Audience, Facts, Question, Return, Status
from contracts.text import clip, one_line, quoted
from contracts.tokens import estimate

__all__ = [
    "Action",
    "Audience",
    "Contract",
    "Decision",
    "DeskError",
    "Dispatch",
    "Facts",
    "Handle",
    "InputError",
    "LedgerError",
    "Question",
    "Registry",
    "RegistryError",
    "Return",
    "SettingsError",
    "Status",
    "clip",
    "estimate",
    "merge_handles",
    "one_line",
    "quoted",
    "registry_of",
]
