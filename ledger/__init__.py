"""The task ledger: a fold over events, the router's prompt, the guard, compaction, replay."""

from ledger.check import checked, checked_handles
from ledger.compact import Stretch, compact
from ledger.events import (
    Answered,
    Asked,
    Compacted,
    Decided,
    Finished,
    Limits,
    NewCriterion,
    Opened,
    Returned,
    RosterLine,
    Setup,
    Spent,
    Stopped,
    plain,
)
from ledger.fold import fold
from ledger.guard import difficulty, judge, over_budget
from ledger.render import RULES, Prompt, render
from ledger.replay import Rebuilt, at, rebuild
from ledger.seal import digest_of
from ledger.share import Bound, bound, check_budget
from ledger.verdict import Verdict

__all__ = [
    "RULES",
    "Answered",
    "Asked",
    "Bound",
    "Compacted",
    "Decided",
    "Finished",
    "Limits",
    "NewCriterion",
    "Opened",
    "Prompt",
    "Rebuilt",
    "Returned",
    "RosterLine",
    "Setup",
    "Spent",
    "Stopped",
    "Stretch",
    "Verdict",
    "at",
    "bound",
    "check_budget",
    "checked",
    "checked_handles",
    "compact",
    "difficulty",
    "digest_of",
    "fold",
    "judge",
    "over_budget",
    "plain",
    "rebuild",
    "render",
]
