"""A new specialist as text: its file, its test, and the two lines that register it."""

import builtins
import keyword
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template

from agents.offline.matching import match
from agents.offline.routing import Unknown
from agents.specialist import Specialist
from contracts import Contract, RegistryError, Return, registry_of

WIDTH = 120
"""Characters of a description on one line."""

_FILE = Template('''\
"""Try it: make run GOAL="There is a problem with $words at 31 Lantern St"."""

from agents.specialist import Specialist, Task, awaited
from contracts import Facts, Return


class _Facts(Facts):
    records: int  # what the router may know besides two short texts: numbers, flags, dates, enums and ids, never prose


class _Return(Return):
    facts: _Facts


def look_up(matter: str, place: str) -> list[str]:
    """Find records on a matter at a place, one line each; a model calls this as its tool."""
    # YOUR SOURCE HERE: a database, an API, a file; it may block. No record: return []. To compare addresses: same_place of agents.specialist.
    return [f"sample record of agents/$module.py: {matter}, place: {place}"]


async def run(task: Task) -> Return:
    """Do one ask: store what was found, hand back what the router needs. Where a model is configured, it works instead, with prompt and tools."""
    if not task.place:  # leave this out where your source needs no address
        return task.returned("blocked", "no address", "It needs an address.", _Facts(records=0), [], ["Which address or street is it about?"])
    lines = await awaited(look_up, task.ask, task.place)
    stored = await task.put("\\n".join(f"- {line}" for line in lines) or "No record.", kind="records", description=f"{len(lines)} on file")
    return task.returned("done", stored.description, f"Records on file: {len(lines)}.", _Facts(records=len(lines)), [stored])


$module = Specialist(
    name="$name",
    description=$description,
    returns=_Return,
    run=run,
    tools=lambda task: [look_up],
    prompt="Call look_up for each matter of the ask and report only what it returns; no record is a finding.",  # deleted: run works under a key too
    examples=("$words",$more),
)
''')

_TEST = Template('''\
"""$Title: found without a key, and held to its contract."""

import datetime as dt
from pathlib import Path

$imports
from store import MemoryStore

NEW = $module
# With a source of your own: an ask that it has records for, and what stands in one of them.
ASK, FOUND = "$words at 12 Elm St", "12 Elm St"


def test_its_examples_lead_to_it() -> None:
    for text in NEW.examples:
        assert match(text, SPECIALISTS)[0].name == NEW.name


async def test_it_stores_what_it_found_and_keeps_its_contract(tmp_path: Path) -> None:
    given = {"case": "case", "step": 1, "goal": "help", "criteria": (("c1", "help"),), "home": tmp_path, "today": dt.date(2025, 6, 1)}
    task = Task(specialist=NEW, ask=ASK, store=MemoryStore(), **given)
    result = await NEW.run(task)
    assert isinstance(result, NEW.returns) and result.status == "done" and result.settles == ("c1",)
    assert FOUND.encode() in await task.read(result.artifacts[0])
''')
_IMPORTS = ("from agents.offline.matching import match", "from agents.registry import SPECIALISTS", "from agents.specialist import Task")
_TAKEN = frozenset("awaited dt given look_up match result run same_place task text tmp_path".split())
"""What the two files call other things."""


@dataclass(frozen=True, slots=True)
class Scaffold:
    """What one new specialist adds."""

    module: str
    """Python name of its file and of its value."""
    file: str
    test: str


def scaffold(name: str, description: str, registered: Sequence[Specialist]) -> Scaffold:
    """Return a new specialist as text.

    Raises:
        RegistryError: The name or the description cannot be registered beside these, or the desk would not route by them.
    """
    words, module = " ".join(re.split("[_-]+", name)).strip(), name.replace("-", "_")
    description = description or f"{words.capitalize()}: problems and complaints with it, records of it."
    registry_of([*registered, Contract(name=name, description=description, returns=Return)])
    if keyword.iskeyword(module) or module in _TAKEN or hasattr(builtins, module):
        raise RegistryError(f"specialist name {name!r} means something in Python or in the new files: choose another")
    if any(char in description for char in '"\\$'):
        raise RegistryError(f"specialist {name!r}: a description without quotes, backslashes and dollar signs is needed")
    found = match(words, [*registered, Unknown(name, description, (words,))])
    if not found or found[0].name != name:
        raise RegistryError(f"specialist name {name!r} would lead no complaint to it beside the others: choose a word of its own for what it covers")
    values = {"name": name, "module": module, "words": words, "Title": words.capitalize(), "description": _literal(description)}
    values["more"] = f' "A problem with {words}"' if len(words) <= 50 else ""
    imports = [f"from agents.{module} import {module}", *_IMPORTS]
    values["imports"] = "\n".join(sorted(imports))
    return Scaffold(module, _FILE.substitute(values), _TEST.substitute(values))


def _literal(text: str) -> str:
    """Return a text as source, over several lines where it is long."""
    lines = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(f'    "{line} "' for line in lines).strip()[:-2] + '"'


def registered_in(registry: str, module: str) -> str:
    """Return the registry's source with one import, in its place, and one line, at the end.

    Raises:
        RegistryError: It does not look as this project writes it.
    """
    lines = registry.splitlines()
    imports = [at for at, line in enumerate(lines) if line.startswith("from agents.")]
    start = next((at for at, line in enumerate(lines) if line.startswith("SPECIALISTS") and line.endswith("= (")), None)
    end = next((at for at, line in enumerate(lines) if start is not None and at > start and line == ")"), None)
    if not imports or end is None:
        raise RegistryError("agents/registry.py has no tuple SPECIALISTS over several lines: add the specialist by hand")
    lines.insert(end, f"    {module},")
    line = f"from agents.{module} import {module}"
    lines.insert(next((at for at in imports if lines[at] > line), imports[-1] + 1), line)
    return "\n".join(lines) + "\n"
