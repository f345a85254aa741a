"""Re-ask: send a decision's own prompt to a model again, and say how often it decides the same."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from agents.model.endpoint import Endpoint
from contracts.decision import REASON
from graph.files import LedgerFile
from ledger import rebuild


@dataclass(frozen=True, slots=True)
class Reasked:
    """What a model said when it was asked a decision again."""

    n: int
    model: str
    recorded: str
    """The move on record, such as `dispatch permits + housing`."""
    asked: int
    matched: int
    """How often the move was the same; words of the reason and of the asks may differ."""
    match_rate: float
    moves: dict[str, int]
    """Each move that was given, most frequent first, with how often."""
    reasons: dict[str, str]
    """The first reason that was given for each move."""
    tokens_in: int
    latency_ms: int
    same_prompt: bool
    """Whether the rebuilt prompt is byte-equal to the one that was sent when the case ran."""


async def reask(file: LedgerFile, n: int, times: int, router: Endpoint) -> Reasked:
    """Ask decision `n` again `times` times, one after the other, each time with its first prompt and no correction.

    Raises:
        LedgerError: There is no such decision, or an archived stretch is missing.
    """
    built = rebuild(file.ledger, file.artifacts, n, file.archives)
    record = built.record
    recorded = move(record["action"], [item["specialist"] for item in record["dispatch"]], record["out_of_scope"], record["verdict"])
    roster = [line["name"] for line in file.ledger["setup"]["roster"]]
    moves: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    tokens = latency = 0
    for _ in range(times):
        reply, reading = await router.decide(built.prompt.system, built.prompt.user, roster)
        said = move(reading.action, [item.specialist for item in reading.dispatch], reading.out_of_scope, str(reading.fault))
        moves[said] += 1
        reasons.setdefault(said, REASON.cut(reading.reason or reading.detail))
        tokens += reply.spent.tokens_in
        latency += reply.latency_ms
    matched = moves[recorded]
    rate = matched / times if times else 0.0
    return Reasked(n, router.choice.model, recorded, times, matched, rate, dict(moves.most_common()), reasons, tokens, latency, built.same)


def move(action: str | None, names: Iterable[str], out_of_scope: Iterable[str] = (), fault: str = "") -> str:
    """Return a decision as one comparable line: what was done and by whom, in any order; without an action, the fault."""
    if action is None:
        return f"nothing usable ({fault})"
    left_out = ", ".join(sorted(out_of_scope))
    return " ".join(filter(None, [str(action), " + ".join(sorted(set(names))), left_out and f"({left_out} out of scope)"]))
