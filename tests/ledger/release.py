"""Write the ledger file of the current version: `python -m tests.ledger.release`, once, when a version is released."""

import json
from pathlib import Path

from ledger import NewCriterion
from ledger.events import VERSION
from tests.ledger.play import NAMES, Play


def played() -> Play:
    """Play a case with every kind of event in it."""
    play = Play(
        NewCriterion(text="permits for the deck", owners=("permits",)),
        "heat in the flat",
        "the pothole",
        "parking",
        goal="Rats, a deck\nand a pothole at 5 Elm St — “now”",
        max_hops=200,
    )
    play.work(("permits", "c1: the deck at 5 Elm St"), ("housing", "c2: heat at 5 Elm St"), status="blocked")
    play.ask("flat 2B")
    play.work(("permits", "c1: the deck at 5 Elm St"))
    play.dispatch(("parks", "c3: a park"))
    play.dispatch(("potholes", "c3: the road"), ("sanitation", "c3: the rats"))
    play.fail(5)
    play.give(4, status="nonsense")
    for n in range(6, 20):
        play.work(
            (NAMES[n % 4], f"c2: house number {n} Elm St"),
            status="partial",
            headline=f"house {n} has heat",
            outcome=f"House {n} was seen; {n} rooms have heat",
        )
        if n in (12, 18):
            play.compact(budget=400)
    play.work(("housing", "c2: whose flat"), status="blocked")
    play.ask("")
    play.work(("housing", "c2: the whole house"))
    play.decide("finish", waived=("c4",))
    play.close("done", answer="R1")
    return play


if __name__ == "__main__":
    play = played()
    assert not play.ledger["rejected"] and play.ledger["status"] == "done", play.ledger["rejected"]
    file = {"ledger": play.ledger, "artifacts": play.artifacts, "archives": play.archives, "answer": "the answer", "events": play.events}
    path = Path(__file__).parent / "released" / f"v{VERSION}.json"
    path.write_text(json.dumps(file, ensure_ascii=False, separators=(",", ":")) + "\n")
