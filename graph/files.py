"""The ledger file: one case with its archived stretches, so that every decision can be rebuilt from this file alone."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contracts import InputError
from graph.archives import load_archives
from ledger import checked, checked_handles
from ledger.check import checked_stretch
from ledger.replay import STRETCH
from store.protocol import ArtifactStore

JSON = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """What a ledger file holds."""

    ledger: JSON
    artifacts: JSON
    """Handles by alias."""
    archives: dict[str, JSON] = field(default_factory=dict)
    """Stretches that compaction took out of the ledger, by handle."""
    answer: str = ""

    @property
    def plain(self) -> JSON:
        """The file's content as JSON."""
        return {"ledger": self.ledger, "artifacts": self.artifacts, "archives": self.archives, "answer": self.answer}


async def collect(store: ArtifactStore, ledger: JSON, artifacts: JSON, answer: str = "") -> LedgerFile:
    """Return the ledger file of a case, with the stretches that the store still has."""
    archives, _ = await load_archives(store, ledger)
    return LedgerFile(ledger, artifacts, archives, answer)


def save(file: LedgerFile, path: Path) -> None:
    """Write a ledger file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(file.plain, ensure_ascii=False, indent=1) + "\n", "utf-8")
    unfinished.replace(path)


def load(path: Path) -> LedgerFile:
    """Read a ledger file.

    Raises:
        InputError: It is no JSON, or holds no ledger with its handles.
        LedgerError: Its ledger or a handle was altered or is of a version that this desk does not read.
    """
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        what = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "not UTF-8 text, or nested too deep"
        raise InputError(f"{path} is not JSON ({what}): give a file that --save wrote") from None
    return read(content, str(path))


def read(content: Any, name: str) -> LedgerFile:
    """Read the content of a ledger file called `name`; raises as `load` does."""
    if not isinstance(content, dict) or "ledger" not in content:
        raise InputError(f"{name} holds no ledger: give a file that --save wrote")
    parts: dict[str, JSON] = {}
    for key in ("artifacts", "archives"):
        part = content.get(key) or {}
        if not isinstance(part, dict) or not all(isinstance(item, dict) for item in part.values()):
            raise InputError(f"{name}: {key!r} is not an object of objects")
        parts[key] = part
    for handle, stretch in parts["archives"].items():
        if missing := STRETCH - set(stretch):
            raise InputError(f"{name}: the archived stretch {handle} lacks {', '.join(sorted(missing))}")
        checked_stretch(handle, stretch)
    ledger = checked(content["ledger"])
    return LedgerFile(ledger, checked_handles(ledger, parts["artifacts"]), parts["archives"], str(content.get("answer") or ""))
