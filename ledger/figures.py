"""The run in figures, from its ledger alone: the router's tokens-in as a series, its bound and slope, repeats, fill of contracts, shares.

Works on any ledger that `checked` takes, running or closed; a stretch that compaction archived and that is not given is named in `missing`.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from statistics import fmean
from typing import Any

from contracts.returns import FACTS, HEADLINE, OUTCOME
from contracts.tokens import estimate
from ledger.events import Setup
from ledger.keys import ask_key
from ledger.render import worst_case
from ledger.replay import History, chain, joined
from ledger.report import REFUSED_REPEATS, Accuracy, Fill, Report, Row
from ledger.share import Bound
from ledger.slope import slope_of

JSON = dict[str, Any]


def figures(
    ledger: JSON, artifacts: JSON | None = None, archives: Mapping[str, JSON] | None = None, labels: Mapping[int, Collection[str]] | None = None
) -> Report:
    """Return the figures of a case.

    Args:
        ledger: The ledger, of a running or a closed case.
        artifacts: Its handle index.
        archives: The stretches that compaction archived, by handle.
        labels: For accuracy: for a decision's number, the names of which it may dispatch any (`ask`, `finish` for these actions).
    """
    past, missing = history(ledger, artifacts or {}, archives or {})
    worst = bound_of(ledger)
    rows = _rows(past.decisions, past.steps, worst, ledger["counts"]["hops"])
    compactions = {item["handle"]: item["before"] for item in (*past.stretches, *ledger["archive"])}
    done = [step for step in past.steps if step["status"] not in ("pending", "rejected") and step["outcome"]]
    justified, unjustified = _repeats(past.decisions, past.steps)
    router = sum(row.tokens_in + row.tokens_out for row in rows)
    spent = [*ledger["spent"].values(), *(step["spent"] for step in past.steps)]
    stored = [handle for alias, handle in past.artifacts.items() if alias[0] == "A"]
    edges = sum(item["ms"] for item in ledger["spent"].values())
    return Report(
        case=ledger["case"],
        status=ledger["status"],
        decisions=rows,
        budget=worst.budget,
        slope=slope_of([(row.n, row.per_attempt) for row in rows]),
        difficulty_slope=slope_of([(row.n, float(row.difficulty)) for row in rows]),
        hops=ledger["counts"]["hops"],
        steps=ledger["counts"]["steps"],
        repeats_justified=justified,
        repeats_unjustified=unjustified,
        repeats_refused=sum(code in REFUSED_REPEATS for row in rows for code in row.verdicts),
        verdicts=dict(sorted(Counter(code for row in rows for code in row.verdicts).items())),
        compactions=tuple(sorted(compactions.values())),
        contracts=fills(done),
        outcomes=tuple((step["n"], step["specialist"], step["outcome"]) for step in done),
        stored_bytes=sum(handle["bytes"] for handle in stored),
        stored_tokens=sum(handle["tokens"] for handle in stored),
        router_tokens=router,
        router_tokens_in=sum(row.tokens_in for row in rows),
        all_tokens=router + sum(item.get("tokens_in", 0) + item.get("tokens_out", 0) for item in spent),
        router_ms=sum(row.latency_ms for row in rows),
        busy_ms=edges + sum(row.latency_ms + row.work_ms for row in rows),
        accuracy=accuracy_of(rows, labels or {}),
        missing=missing,
    )


def bound_of(ledger: JSON) -> Bound:
    """Return the worst case of the prompts of a case, from its own setup."""
    return worst_case(Setup.model_validate(ledger["setup"]))


def history(ledger: JSON, artifacts: JSON, archives: Mapping[str, JSON]) -> tuple[History, str | None]:
    """Return what the case recorded, as far back as its chain of archived stretches is there, and the handle at which it breaks."""
    stretches, broken = chain(ledger, archives)
    return joined(ledger, artifacts, stretches), broken


def fills(steps: Iterable[JSON]) -> tuple[Fill, ...]:
    """Return how full each specialist's contract is, fullest first."""
    sizes: dict[str, list[int]] = {}
    for step in steps:
        facts = " ".join(f"{key}={value}" for key, value in step["facts"].items() if value is not None)
        sizes.setdefault(step["specialist"], []).append(_tokens(step["headline"]) + _tokens(step["outcome"]) + _tokens(facts))
    cap = HEADLINE.tokens + OUTCOME.tokens + FACTS.tokens
    found = [Fill(name, len(each), fmean(each), max(each), cap) for name, each in sizes.items()]
    return tuple(sorted(found, key=lambda fill: (-fill.mean, fill.specialist)))


@lru_cache(maxsize=4096)
def _tokens(text: str) -> int:
    """Estimate a text once, however often a running case is looked at."""
    return estimate(text)


def accuracy_of(rows: Sequence[Row], labels: Mapping[int, Collection[str]]) -> Accuracy | None:
    """Return how often labelled decisions were right, early and late; a decision is right when all of its moves are in its label."""
    right = [bool(row.moves) and set(row.moves) <= set(labels[row.n]) for row in rows if row.n in labels]
    if len(right) < 2:
        return None
    middle = len(right) // 2
    return Accuracy(fmean(right[:middle]), fmean(right[middle:]), len(right))


def _rows(decisions: Sequence[JSON], steps: Sequence[JSON], worst: Bound, hops: int) -> tuple[Row, ...]:
    slowest: dict[int, int] = {}
    for step in steps:
        slowest[step["decision"]] = max(slowest.get(step["decision"], 0), step["spent"].get("ms", 0))
    hop = hops - sum(item["verdict"] == "ok" and item["action"] != "finish" for item in decisions)
    seen = steps[0]["n"] - 1 if steps else 0
    rows = []
    for item in decisions:
        legal = item["verdict"] == "ok"
        hop += legal and item["action"] != "finish"
        rows.append(_row(item, hop, worst.at(seen), slowest.get(item["n"], 0)))
        seen += len(item["dispatch"]) if legal else 0
    return tuple(rows)


def _row(item: JSON, hop: int, worst: int, work_ms: int) -> Row:
    names = tuple(dict.fromkeys(sent["specialist"] for sent in item["dispatch"]))
    same = ("n", "verdict", "tokens_in", "tokens_cached", "tokens_out", "tokens_source", "attempts", "prompt_tokens", "difficulty", "latency_ms")
    moves = names or ((item["action"],) if item["action"] in ("ask", "finish") else ())
    return Row(
        hop=hop, moves=moves, verdicts=tuple(item["verdicts"]) or (item["verdict"],), bound=worst, work_ms=work_ms, **{key: item[key] for key in same}
    )


def _repeats(decisions: Sequence[JSON], steps: Sequence[JSON]) -> tuple[int, int]:
    """Count dispatched asks that had been dispatched before: with something new since, and without."""
    reasons = {item["n"]: item["justified"] for item in decisions}
    seen: set[str] = set()
    justified = unjustified = 0
    for step in steps:
        key = ask_key(step["specialist"], step["ask"])
        if key in seen:
            justified += bool(reasons.get(step["decision"]))
            unjustified += not reasons.get(step["decision"])
        seen.add(key)
    return justified, unjustified
