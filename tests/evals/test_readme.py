"""The README's tables come from the figures, whole or with what did not fit."""

from pathlib import Path

from tests.evals.readme import by_depth, seconds, texts
from tests.evals.routers import biased, planted
from tests.evals.test_depth import figures
from tests.figures import BLOCKS, written
from tests.readme import ROOT


async def test_figures_become_tables(tmp_path: Path) -> None:
    found = await figures(planted(biased), tmp_path)
    scores = dict.fromkeys(("first", "exact", "jaccard", "jaccard_credited", "recall"), 0.5)
    assert "| the project's own set | 132 | 0.50 | 0.50 | 0.50 (0.50) | 0.50 |" in texts({"sets": {"desk": {"items": 132} | scores}})
    shown = by_depth(found).splitlines()
    assert shown[0].startswith("| planted | at hop 2 | at hop 12 | at hop 25 |") and shown[2].startswith("| right next choice |")
    assert " -0." in shown[2] and [line.split(" ")[1] for line in shown[3:]] == ["premature", "missed"]


def test_what_does_not_fit_is_said() -> None:
    fits = {"prefill_s": 1.0, "cached_prefill_s": 0.5, "seconds": 2.0, "cached_seconds": 1.5}
    rows = [
        {"prompt": "ledger", "turn": 1, "tokens": 600, "fits": True} | fits,
        {"prompt": "transcript", "turn": 50, "tokens": 180_000, "fits": False},
    ]
    shown = seconds({"rows": rows}).splitlines()
    assert shown[2:] == ["| ledger | 1 | 600 | 1.0 | 0.5 | 2.0 (1.5) |", "| transcript | 50 | 180,000 | does not fit |  |  |"]


def test_each_table_has_its_place_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for blocks in (BLOCKS["eval.json"], BLOCKS["eval-local.json"], BLOCKS["latency.json"]):
        assert written(text, dict.fromkeys(blocks, "x")) != text
