"""What a corrective re-ask says: words of ours alone, so that no text from outside comes back as an instruction."""

from collections.abc import Sequence

from agents.model.faults import Fault
from ledger import Verdict

FINAL = frozenset(
    {
        Fault.AUTH,
        Fault.QUOTA,
        Fault.RATE_LIMIT,
        Fault.TIMEOUT,
        Fault.UNAVAILABLE,
        Fault.BAD_REQUEST,
        Fault.PROVIDER_ERROR,
        Fault.CONTENT_FILTER,
        Fault.REFUSAL,
        Fault.WINDOW_EXCEEDED,
    }
)
"""Outcomes that asking the same again cannot mend; the call itself has already been retried where that helps."""

_HINTS = {
    Fault.ANSWERED_ITSELF: "do not answer the resident; choose who works next",
    Fault.PROSE: "no prose; give the decision object",
    Fault.CUT_OFF: "the reply was cut off; keep reason and asks short",
    Fault.EMPTY: "the reply was empty",
    Fault.REASONING_ONLY: "the reply was empty; put the decision object in the content",
    Fault.UNCLOSED_THINK: "stop thinking and give the decision object",
    Fault.AMBIGUOUS: "give one decision object and no other words",
    Fault.SELF_ROUTE: "you cannot choose yourself",
    Fault.WRONG_KEY: "wrong keys",
}


def correction_for(fault: Fault | None, verdict: Verdict, roster: Sequence[str]) -> str:
    """Return one line for the re-ask; only the guard's own verdicts, where no fault kept a reply from being read, tell their detail."""
    if fault is None:
        return f"refused ({verdict.code}): {verdict.detail}."
    return f"{_HINTS.get(fault, 'that was not a decision')}. Choose from {', '.join(roster)}. action is dispatch, ask or finish."
