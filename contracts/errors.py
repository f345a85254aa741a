"""What can go wrong, divided by who must act.

DeskError(Exception)
├── RegistryError(ValueError)      the author of a specialist: name, description or contract
├── SettingsError(ValueError)      whoever configures the desk: budget, store, model
├── InputError(ValueError)         whoever sends a goal
└── LedgerError(ValueError)        whoever owns the thread: unreadable, altered or newer ledger

Each class also derives from a builtin, because API clients see the text of no other.
"""


class DeskError(Exception):
    """Base of every error that the desk raises on purpose."""


class RegistryError(DeskError, ValueError):
    """A specialist cannot be registered."""


class SettingsError(DeskError, ValueError):
    """The desk cannot run with these settings."""


class InputError(DeskError, ValueError):
    """A goal or criterion cannot be worked on."""


class LedgerError(DeskError, ValueError):
    """A ledger cannot be trusted: altered outside the reducers, unreadable, or of an unknown version."""
