"""How far two readings of a set agree: `python -m tests.evals.agreement [SET]`; `--texts` prints the texts alone, for a reading of your own.

A reading is a file with one line per text, in the order of `--texts`: its number and the names of whoever must be consulted, `-` for nobody.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.evals.labels import NAMES, SETS, Item, read
from tests.evals.scoring import Labels, exact, jaccard, kappa, mean

SEED = 311
Pair = tuple[Item, Labels, Labels]


def shuffled(items: Sequence[Item]) -> list[Item]:
    """Return the items in an order that says nothing about their kind, the same one every time."""
    return random.Random(SEED).sample(list(items), len(items))


def figures(pairs: Sequence[Pair]) -> dict[str, float]:
    """Return exact-set agreement, mean Jaccard and Cohen's kappa of each specialist."""
    told = {"exact": mean(exact(one, other) for _, one, other in pairs), "jaccard": mean(jaccard(one, other) for _, one, other in pairs)}
    return told | {name: kappa([name in one for _, one, _ in pairs], [name in other for _, _, other in pairs]) for name in NAMES}


def both(items: Sequence[Item]) -> list[Pair]:
    """Return the items that were read twice, with both readings."""
    return [(item, item.first, item.second) for item in items if item.first is not None and item.second is not None]


def against(items: Sequence[Item], lines: Sequence[str]) -> Iterator[Pair]:
    """Yield the items with their gold set and a reading of one's own.

    Raises:
        ValueError: A line has no such form.
    """
    known = shuffled(items)
    for line in filter(str.strip, lines):
        number, *names = line.replace(",", " ").split()
        said = frozenset(names) - {"-"}
        if not number.isdecimal() or int(number) >= len(known) or not names or said - set(NAMES):
            raise ValueError(f"not a number and names of {', '.join(NAMES)}, or -: {line.strip()}")
        yield known[int(number)], known[int(number)].gold, said


def main(argv: Sequence[str] | None = None) -> int:
    """Print the texts, or how far two readings agree and where they do not."""
    parser = argparse.ArgumentParser(prog="python -m tests.evals.agreement", description="How far two readings of a set agree.")
    parser.add_argument("set", nargs="?", default="desk", help="a name in sets/, or a JSONL file (default desk)")
    parser.add_argument("--texts", action="store_true", help="print the texts alone, shuffled and numbered")
    parser.add_argument("--reading", type=Path, metavar="FILE", help="compare this reading with the set's labels")
    args, console = parser.parse_args(argv), Console()
    path = SETS / f"{args.set}.jsonl" if (SETS / f"{args.set}.jsonl").exists() else Path(args.set)
    items = list(read(path))
    if args.texts:
        for number, item in enumerate(shuffled(items)):
            before = f" << {item.before.ask}: {item.before.headline}" if item.before else ""
            sys.stdout.write(f"{number}\t{' '.join(item.text.split())}{before}\n")
        return 0
    pairs = list(against(items, args.reading.read_text("utf-8").splitlines())) if args.reading else both(items)
    if not pairs:
        console.print("this set was read once only: label --texts and give the file as --reading", markup=False)
        return 1
    table = Table("", "agreement", title=f"{len(pairs)} texts read twice")
    for name, value in figures(pairs).items():
        table.add_row(f"kappa {name}" if name in NAMES else name, f"{value:.3f}")
    console.print(table)
    for item, one, other in pairs:
        if set(one) != set(other):
            console.print(f"{item.id}: {sorted(one)} or {sorted(other)}: {item.text}", markup=False, highlight=False, soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
