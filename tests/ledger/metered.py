"""Played cases with figures on their records, so that a report can be recomputed from its raw events alone."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from tests.ledger.play import JSON, NAMES, Play

WORDS = (
    "permit inspection rodent trash street sidewalk boiler heat licence zoning drain sewer hydrant alley porch roof deck fence garage basement "
    "furnace meter valve crew truck asphalt barrel litter graffiti lamp signal sign curb ramp bench tree stump branch root"
).split()


class Metered(Play):
    """A case whose decisions and steps carry what they cost, by rules that a test sets."""

    def __init__(self, *criteria: str, meter: Callable[[JSON], JSON] | None = None, seed: int = 0, **limits: Any) -> None:
        self.random = random.Random(seed)
        self.meter = meter or (lambda event: {})
        super().__init__(*criteria, **limits)

    def fold(self, *events: Any) -> None:
        plain = [event if isinstance(event, dict) else event.model_dump(mode="json") for event in events]
        for event in plain:
            if event["type"] == "decided":
                event |= self._cost(event) | self.meter(event)
            if event["type"] == "returned":
                event["spent"] = event["spent"] | {
                    "ms": self.random.randrange(5, 900),
                    "tokens_in": 300,
                    "tokens_out": 40,
                    "tokens_source": "reported",
                }
        super().fold(*plain)
        assert not self.ledger["rejected"], self.ledger["rejected"]

    def _cost(self, event: JSON) -> JSON:
        near = event["prompt_tokens"] - self.random.randrange(0, 9)
        cost = {"tokens_in": near, "tokens_out": 40, "tokens_source": "reported", "latency_ms": self.random.randrange(100, 400)}
        return cost | {"verdicts": [event["verdict"]], "difficulty": 6, "model": "m", "method": "text"}

    def said(self) -> JSON:
        """Return what a specialist hands back, different each time."""
        a, b, c, d = self.random.sample(WORDS, 4)
        return {"headline": f"{a} and {b} on record", "outcome": f"The {a} record names {b} work, closed with {c}; another entry is about the {d}."}

    def hop(self, index: int, names: Sequence[str] = (), **more: Any) -> str:
        """Dispatch one or several specialists and let them return."""
        chosen = names or (NAMES[index % 4],)
        work = [(name, f"c{index % 2 + 1}: look at {self.random.choice(WORDS)} {index} of {name}") for name in chosen]
        verdict = self.dispatch(*work)
        for step in [step for step in self.ledger["steps"] if step["status"] == "pending"]:
            self.give(step["n"], **self.said() | more)
        return verdict


def healthy(hops: int = 50, **given: Any) -> Metered:
    """Return a case of so many hops with fan-outs and compactions, and nothing wrong."""
    case = Metered("rats in the yard", "heat in the flat", budget=1500, max_hops=5000, **given)
    for index in range(hops):
        case.hop(index, NAMES[:3] if index % 9 == 4 else ())
    case.decide("finish")
    case.close()
    return case
