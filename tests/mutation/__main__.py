"""Changes the pure core one small thing at a time and counts which changes the core's tests notice: `python -m tests.mutation [MODULE ...]`.

Each mutant is one changed operator, constant, condition, call or returned value. It counts as killed when any test below fails or takes
too long, the quick ones first. Survivors are printed with file, line and change; survivors.md says why those that are left may live.
"""

import ast
import copy
import importlib.abc
import importlib.machinery
import os
import random
import signal
import sys
import types
from collections.abc import Iterator
from pathlib import Path

# Loaded once, so that each mutant's own process need not.
import hypothesis.stateful  # noqa: F401
import orjson  # noqa: F401
import pydantic  # noqa: F401
import pytest

ROOT = Path(__file__).parents[2]
MODULES = ("fold", "accept", "returning", "guard", "render", "compact", "criteria", "apply")
QUICK = (
    "tests/ledger/test_criteria.py",
    "tests/ledger/test_room.py",
    "tests/ledger/test_render.py",
    "tests/ledger/test_guard.py",
    "tests/ledger/test_fold.py",
)
SUITE = (
    "tests/ledger/test_released.py",
    "tests/ledger/test_compaction.py",
    "tests/ledger/test_fold_laws.py",
    "tests/ledger/test_bound.py",
    "tests/ledger/test_machine.py",
)
SECONDS = 60
"""Of processor time: a busy machine kills no mutant."""
SWAPS: dict[type, type] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


def mutants(tree: ast.Module) -> Iterator[tuple[int, str, ast.Module]]:
    """Yield line, what changed, and the changed module."""
    nodes = [node for node in ast.walk(tree) if hasattr(node, "lineno") or isinstance(node, ast.cmpop)]
    for index, node in enumerate(nodes):
        for change in _changes(node):
            made = copy.deepcopy(tree)
            twin = [other for other in ast.walk(made) if hasattr(other, "lineno") or isinstance(other, ast.cmpop)][index]
            told = change(twin)
            if told:
                yield getattr(node, "lineno", 0), told, ast.fix_missing_locations(made)


def _changes(node: ast.AST) -> list:  # type: ignore[type-arg]
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        return [_swap_compare]
    if isinstance(node, (ast.BoolOp, ast.BinOp)) and type(node.op) in SWAPS and not _is_text(node):
        return [_swap_operator]
    if isinstance(node, ast.Constant) and type(node.value) in (int, bool):
        return [_other_constant]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [_without_not]
    if isinstance(node, (ast.If, ast.IfExp)):
        return [_always, _never]
    return []


def _is_text(node: ast.AST) -> bool:
    return any(
        isinstance(part, (ast.JoinedStr,)) or isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.iter_child_nodes(node)
    )


def _swap_compare(node: ast.Compare) -> str:
    before = type(node.ops[0])
    node.ops[0] = SWAPS[before]()
    return f"{before.__name__} -> {SWAPS[before].__name__}"


def _swap_operator(node: ast.BoolOp) -> str:
    before = type(node.op)
    node.op = SWAPS[before]()
    return f"{before.__name__} -> {SWAPS[before].__name__}"


def _other_constant(node: ast.Constant) -> str:
    before = node.value
    node.value = not before if isinstance(before, bool) else int(before) + 1  # type: ignore[arg-type]
    return f"{before} -> {node.value}"


def _without_not(node: ast.UnaryOp) -> str:
    node.op = ast.UAdd()
    node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
    return "not dropped"


def _always(node: ast.If) -> str:
    node.test = ast.Constant(True)
    return "condition -> True"


def _never(node: ast.If) -> str:
    node.test = ast.Constant(False)
    return "condition -> False"


class Replaced(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives a changed module in place of the one on disk."""

    def __init__(self, name: str, tree: ast.Module) -> None:
        self.name, self.tree = name, tree

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(fullname, self) if fullname == self.name else None

    def exec_module(self, module: types.ModuleType) -> None:
        exec(compile(self.tree, self.name, "exec"), module.__dict__)


def start(module: str, tree: ast.Module) -> int:
    """Start the suite with this tree in place of a module's, in a process of its own, and return its id."""
    pid = os.fork()
    if pid == 0:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        os.dup2(os.open(os.environ.get("MUTANT_LOG", os.devnull), os.O_WRONLY | os.O_CREAT), 1)
        os.dup2(1, 2)
        sys.meta_path.insert(0, Replaced(f"ledger.{module}", tree))
        options = ["-q", "-x", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning", "-m", "not slow", "--rootdir", str(ROOT)]
        os._exit(int(any(pytest.main([*options, *(str(ROOT / test) for test in tests)]) for tests in (QUICK, SUITE))))
    return pid


def survivors(module: str, trees: list[ast.Module], workers: int) -> list[bool]:
    """Say for each tree whether the suite passes with it."""
    alive, running = [False] * len(trees), {}
    for index in range(len(trees) + workers):
        if len(running) == workers or index >= len(trees) and running:
            pid, status = os.wait()
            alive[running.pop(pid)] = os.waitstatus_to_exitcode(status) == 0
        if index < len(trees):
            running[start(module, trees[index])] = index
    return alive


def main(modules: list[str]) -> int:
    """Print the survivors and the share that was killed; fail below 90 %."""
    os.environ["LAWS"] = "mutants"
    sample, killed, total = int(os.environ.get("MUTANTS", "0")), 0, 0
    for module in modules:
        tree = ast.parse((ROOT / "ledger" / f"{module}.py").read_text())
        if survivors(module, [tree], 1) != [True]:
            sys.exit(f"the suite fails on ledger/{module}.py as it is, so it says nothing about mutants")
        made = list(mutants(tree))
        if sample and len(made) > sample:
            made = random.Random(1).sample(made, sample)
        alive = survivors(module, [tree for _, _, tree in made], int(os.environ.get("WORKERS", "2")))
        for (line, told, _), lives in zip(made, alive, strict=True):
            if lives:
                sys.stdout.write(f"survived: ledger/{module}.py:{line}: {told}\n")
        killed, total = killed + alive.count(False), total + len(alive)
        sys.stdout.write(f"{module}: {alive.count(False)} of {len(alive)} killed\n")
        sys.stdout.flush()
    sys.stdout.write(f"killed {killed} of {total} = {killed / max(1, total):.1%}\n")
    return 0 if killed >= 0.9 * total else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(MODULES)))
