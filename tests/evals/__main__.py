"""Evaluate a router: `python -m tests.evals [--model NAME] [--sets ...] [--limit N] [--baseline FILE]`; writes `.out/eval.json`.

Exit codes: 0 complete, 1 nothing could be evaluated, 2 wrong arguments, 4 broken off (what was done is written).
"""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from agents.model.settings import ModelChoice
from contracts.errors import DeskError
from tests.evals import latency
from tests.evals.asking import Watched, endpoint_of
from tests.evals.evaluation import Done, Plan, evaluate, plan_of, result
from tests.evals.labels import chosen
from tests.evals.report import changes, progress, tables
from tests.llm.server import available, local_model

ROOT = Path(__file__).parents[2]
COMPLETE, FAILED, INCOMPLETE = 0, 1, 4
ABLATION = 12
LOCAL_SETS, LOCAL_LIMIT, LOCAL_ABLATION = ["desk"], 7, 4
"""What the small model is asked where nothing else is said: one text of each kind, so that it ends within ten minutes on two cores."""
LOCAL_REPLY = 64
"""Most tokens of the small model's reply; longer ones were rambling too, and cost time."""


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.evals", description="Routing accuracy without a judge, and by depth.")
    parser.add_argument("--model", help="router model; without it the configured one, offline when none is")
    parser.add_argument("--local", action="store_true", help="the small local model, served for this run (make test-llm installs it)")
    parser.add_argument("--sets", nargs="+", default=[], metavar="SET", help="names in sets/, complaints, scenarios, or JSONL files; default all")
    parser.add_argument("--limit", type=_positive, metavar="N", help=f"at most N texts of each set, over its kinds (--local: {LOCAL_LIMIT})")
    parser.add_argument("--ablation", type=int, metavar="N", help=f"decisions on all three prompts (default {ABLATION}, 0: none)")
    parser.add_argument("--unpaired", action="store_true", help="ask each text at its own depth only: a third of the calls, a wider interval")
    parser.add_argument("--parallel", type=_positive, default=4, metavar="N", help="calls at a time to a model (default 4)")
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="an earlier eval.json to compare with")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the figures go (default .out/eval.json, eval-local.json or latency.json)")
    parser.add_argument("--latency", action="store_true", help="seconds per decision on the small local model instead")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluate, write the figures, print them; return the exit code."""
    args, aside = arguments(argv), Console(stderr=True)
    try:
        if (args.latency or args.local) and not available():
            raise ValueError("the small local model is not installed: make test-llm installs it")
        if args.latency:
            return latency.main(args.out or ROOT / ".out" / "latency.json", aside)
        before = json.loads(args.baseline.read_text("utf-8")) if args.baseline else None
        sets = chosen(args.sets or (LOCAL_SETS if args.local else []), Path(os.environ["DESK_DATA"]) if os.environ.get("DESK_DATA") else None)
        with contextlib.ExitStack() as stack:
            router = _local(stack.enter_context(local_model())) if args.local else endpoint_of(args.model)
            offline = router.choice.is_offline
            plan = plan_of(
                sets,
                limit=args.limit or (LOCAL_LIMIT if args.local else None),
                sample=args.ablation if args.ablation is not None else LOCAL_ABLATION if args.local else ABLATION,
                unpaired=args.unpaired,
                parallel=1 if offline or args.local else args.parallel,
            )
            told = carry_out(router, plan, aside)
    except (DeskError, OSError, ValueError) as error:
        aside.print(f"nothing was evaluated: {error}", highlight=False, markup=False)
        return FAILED
    _write(args.out or ROOT / ".out" / ("eval-local.json" if args.local else "eval.json"), told)
    _print(told, before)
    return COMPLETE if told["complete"] else INCOMPLETE if told["done"] else FAILED


def carry_out(router: Watched, plan: Plan, aside: Console) -> dict[str, Any]:
    """Carry the plan out and return its figures, whole or as far as it came."""
    done = Done()
    with tempfile.TemporaryDirectory() as home, progress(aside) as start, contextlib.suppress(KeyboardInterrupt):
        asyncio.run(evaluate(router, plan, done, Path(home), start))
    return result(router, plan, done)


def _local(url: str) -> Watched:
    choice = ModelChoice(model="smollm2", base_url=url, temperature=0.0, max_tokens=LOCAL_REPLY, timeout=300, attempts=1)
    return Watched(choice)


def _write(path: Path, told: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _print(told: dict[str, Any], before: dict[str, Any] | None) -> None:
    console = Console()
    for table in tables(told):
        console.print(table)
    cost = told["cost"]
    console.print(
        f"{told['model']}: {told['done']} of {told['planned']} done in {told['seconds']} s; {cost['calls']} calls, "
        f"{cost['tokens_in']} tokens in and {cost['tokens_out']} out ({cost['tokens_source']})",
        highlight=False,
    )
    if kinds := told["depth"].get("fault_kinds"):
        console.print("no decision: " + ", ".join(f"{name} {times}" for name, times in kinds.items()), highlight=False)
    if note := told["ablation_note"]:
        console.print(f"three prompts: {note}", highlight=False)
    if told["stopped"]:
        console.print(f"INCOMPLETE: {told['stopped']}", highlight=False, markup=False)
    if before is not None:
        console.print(changes(before, told))


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a job that is timed out keeps what it has, as after Ctrl-C
    sys.exit(main())
