"""Three prompts for one and the same decision: our ledger, the full transcript, the last turn alone.

All three share role, rules, roster, goal and criteria; they differ in what tells the router how the case went.
"""

from collections.abc import Callable, Mapping

from contracts import estimate
from ledger import Prompt
from tests.evals.cases import Case, Turn

LEDGER, TRANSCRIPT, LAST, MESSAGES = "ledger", "transcript", "last_turn", "messages"


def ledger(case: Case) -> Prompt:
    """Return the desk's own prompt."""
    return case.prompt


def transcript(case: Case) -> Prompt:
    """Return every turn in full: the ask, what both tools gave, what the specialist wrote."""
    return _told(case, case.turns)


def last_turn(case: Case) -> Prompt:
    """Return the last turn in full, and nothing of those before it."""
    return _told(case, case.turns[-1:])


def messages(case: Case) -> Prompt:
    """Return every turn without its tool results, as supervisors that keep only last messages do."""
    return _told(case, case.turns, tools=False)


VIEWS: Mapping[str, Callable[[Case], Prompt]] = {LEDGER: ledger, TRANSCRIPT: transcript, LAST: last_turn}


def _told(case: Case, turns: tuple[Turn, ...], *, tools: bool = True) -> Prompt:
    own = case.prompt
    head = own.user.partition("\nSTEPS")[0]
    user = "\n".join([head, "CONVERSATION", *(line for turn in turns for line in _lines(turn, tools))])
    return Prompt(own.system, user, own.tokens - estimate(own.user) + estimate(user))


def _lines(turn: Turn, tools: bool) -> list[str]:
    given = [f"tool {number} to {turn.specialist}: {text}" for number, text in enumerate(turn.records, 1)] if tools else []
    return [f"supervisor to {turn.specialist}: {turn.ask}", *given, f"{turn.specialist}: {turn.prose} {turn.headline}. {turn.outcome}"]
