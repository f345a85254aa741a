"""`specialist`: write a new specialist, its test and its registry line; the desk uses it at once."""

import argparse
import asyncio
import sys
from pathlib import Path

import agents.registry
from contracts import RegistryError
from graph.scaffold import registered_in, scaffold


async def main(options: argparse.Namespace) -> int:
    """Write the files, none of which may exist, and the registry last."""
    registry = Path(agents.registry.__file__)
    root = registry.parent.parent
    made = scaffold(options.name, options.description, agents.registry.SPECIALISTS)
    file, test = registry.parent / f"{made.module}.py", root / "tests" / "agents" / f"test_{made.module}.py"
    if taken := next((path for path in (file, file.with_suffix(""), test) if path.exists()), None):
        raise RegistryError(f"{taken.relative_to(root)} exists already: choose another name")
    source = registered_in(registry.read_text("utf-8"), made.module)
    await asyncio.to_thread(_write, {file: made.file, test: made.test, registry: source})
    lines = [
        f"agents/{file.name}: the specialist; put your source where it says YOUR SOURCE HERE, and say in description and examples what it is for",
        f"tests/agents/{test.name}: its test; run it with: make test ONLY={test.relative_to(root)}",
        "agents/registry.py: one import and one line",
        f'try it: make run GOAL="There is a problem with {options.name.replace("_", " ").replace("-", " ")} at 31 Lantern St"',
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _write(texts: dict[Path, str]) -> None:
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
