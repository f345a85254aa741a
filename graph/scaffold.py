"""A new specialist as text: its file, its test, and the two lines that register it."""

import keyword
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template

from contracts import Contract, RegistryError, Return, registry_of

_FILE = Template('''\
"""$description"""

from agents.specialist import Specialist, Task
from contracts import Facts, Return


class ${Class}Facts(Facts):
    """What the router may know besides two short texts: numbers, flags, dates, enums and ids, never prose."""

    records: int


class ${Class}Return(Return):
    """What $name hands back."""

    facts: ${Class}Facts


def look_up(matter: str) -> str:
    """Find $words records on a matter, one line each; put your own source here. A model calls it as its tool."""
    return f"- sample record of agents/$module.py about: {matter}\\n"


async def run(task: Task) -> Return:
    """Do one ask without a model: store the bulk, hand back what the router needs."""
    text = look_up(task.ask)
    count = text.count("\\n")
    stored = await task.put(text, kind="records", description=f"$words: {count} on file")
    return task.returned("done", f"$words: {count} on file", f"Records on file: {count}.", ${Class}Facts(records=count), [stored])


$module = Specialist(
    name="$name",
    description="$description",
    returns=${Class}Return,
    run=run,
    tools=lambda task: [look_up],
    prompt="Call look_up for each matter of the ask and report only what it returns; no record is a finding.",
    examples=("$words; $words complaint", "There is a problem with $words", "A complaint about $words"),
)
''')

_TEST = Template('''\
"""$Title: found without a key, and held to its contract."""

import datetime as dt
from pathlib import Path

$imports
from store import MemoryStore


def test_its_examples_lead_to_it() -> None:
    assert [match(text, SPECIALISTS)[0].name for text in $module.examples] == ["$name"] * len($module.examples)


async def test_it_stores_what_it_found_and_keeps_its_contract(tmp_path: Path) -> None:
    given = {"case": "case", "step": 1, "goal": "$Title", "criteria": (("c1", "$words"),), "home": tmp_path, "today": dt.date(2025, 6, 1)}
    task = Task(specialist=$module, ask="c1: $words at 12 Elm St", store=MemoryStore(), **given)
    result = await $module.run(task)
    assert isinstance(result, ${Class}Return) and result.status == "done" and result.settles == ("c1",)
    assert b"12 Elm St" in await task.read(result.artifacts[0])
''')
_IMPORTS = ("from agents.offline.matching import match", "from agents.registry import SPECIALISTS", "from agents.specialist import Task")


@dataclass(frozen=True, slots=True)
class Scaffold:
    """What one new specialist adds."""

    module: str
    """Python name of its file and of its value."""
    file: str
    test: str


def scaffold(name: str, description: str, registered: Sequence[Contract]) -> Scaffold:
    """Return a new specialist as text.

    Raises:
        RegistryError: The name or the description cannot be registered beside these.
    """
    words = name.replace("_", " ").replace("-", " ")
    description = description or f"{words.capitalize()}: problems and complaints with it, records of it."
    registry_of([*registered, Contract(name=name, description=description, returns=Return)])
    module = name.replace("-", "_")
    if keyword.iskeyword(module) or any(item.name.replace("-", "_") == module for item in registered):
        raise RegistryError(f"specialist name {name!r} cannot be a Python name of its own beside the others: choose another")
    if any(char in description for char in '"\\$'):
        raise RegistryError(f"specialist {name!r}: a description without quotes, backslashes and dollar signs is needed")
    values = {"name": name, "module": module, "words": words, "Title": words.capitalize(), "description": description}
    values["Class"] = "".join(part.capitalize() for part in module.split("_"))
    imports = [f"from agents.{module} import {values['Class']}Return, {module}", *_IMPORTS]
    values["imports"] = "\n".join(sorted(imports))
    return Scaffold(module, _FILE.substitute(values), _TEST.substitute(values))


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
