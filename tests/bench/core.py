"""What one hop costs in the pure core at a hundred steps: fold, render and judge, without store, model or graph."""

import statistics
import time

from contracts.decision import Decision
from ledger import Decided, Returned, fold, judge, plain, render
from tests.ledger.play import AT, CASE, NAMES, REGISTRY, Play, result

STEPS = 100


def hop_ms(rounds: int = 60) -> dict[str, float]:
    """Return median and least milliseconds of one hop: render a prompt, judge a decision, fold the decision and its return."""
    play = Play(*(f"matter {n} of this case" for n in range(12)), budget=100_000, max_hops=1000, stall=64)
    for n in range(1, STEPS + 1):
        asked = f"c{1 + n % 12}: look at number {n} Elm St"
        play.work(
            (NAMES[n % 4], asked),
            status="partial",
            headline=f"record 10100{n} found in list",
            outcome=f"Record 10100{n} is open and in its {n}th year",
        )
    assert play.ledger["counts"]["steps"] == STEPS and not play.ledger["archive"] and not play.ledger["rejected"]
    decision = Decision(reason="next one", action="dispatch", dispatch=({"specialist": NAMES[0], "ask": "c1: look at number 999 Elm St"},))
    prompt = render(play.ledger, play.artifacts)
    sent = tuple(item.model_dump() for item in decision.dispatch)
    decided = plain(
        Decided(case=CASE, n=STEPS + 1, at=AT, action="dispatch", reason="next one", dispatch=sent, verdict="ok", prompt_sha256=prompt.sha256)
    )
    returned = plain(Returned(case=CASE, step=STEPS + 1, specialist=NAMES[0], result=result(STEPS + 1)))
    seen = []
    for _ in range(rounds):
        started = time.perf_counter()
        render(play.ledger, play.artifacts)
        verdict = judge(play.ledger, decision)
        ledger = fold(fold(play.ledger, decided, REGISTRY), returned, REGISTRY)
        seen.append(1000 * (time.perf_counter() - started))
        assert verdict.ok and ledger["counts"]["steps"] == STEPS + 1 and not ledger["rejected"]
    return {"median": statistics.median(seen), "least": min(seen)}
