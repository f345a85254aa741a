"""A specialist of one's own: names checked, one file and one line, consulted at once; and one taken away."""

import json
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agents.city.records import RECORDS_FILE, make_sample
from contracts import RegistryError
from graph.chat import build_chat
from graph.desk import desk_of
from graph.scaffold import registered_in, scaffold
from graph.workflow import build
from store import MemoryStore
from tests.shipped import NAMES as SHIPPED
from tests.shipped import SPECIALISTS

ROOT = Path(__file__).parent.parent.parent
LONG = "neighborhood-noise-nuisance-and-noise-permits-with-their-records"
REGISTRY = (ROOT / "agents" / "registry.py").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Code Enforcement", "not usable"),
        ("Vivienda é", "not usable"),
        ("__end__", "not usable"),
        ("FINISH", "not usable"),
        ("noise;rm", "not usable"),
        ("../noise", "not usable"),
        ("", "not usable"),
        ("n" * 70, "at most 64 characters"),
        ("supervisor", "reserved"),
        ("answer", "reserved"),
        ("permits", "twice"),
        ("permit", "lead no complaint"),
        ("class", "in Python"),
        ("list", "in Python"),
        ("match", "in the new files"),
        ("awaited", "in the new files"),
        ("a-b", "lead no complaint"),
        ("other", "reserved"),
        ("-h", "not usable"),
    ],
)
def test_names_that_cannot_work_are_refused(name: str, told: str) -> None:
    with pytest.raises(RegistryError, match=told):
        scaffold(name, "", SPECIALISTS)


@pytest.mark.parametrize("name", ["xylophones", "street-light_zz", "street_light_zz2", LONG])
def test_a_new_file_says_where_ones_own_source_goes(name: str) -> None:
    made = scaffold(name, "", SPECIALISTS)
    assert "$" not in made.file + made.test and "YOUR SOURCE HERE" in made.file


def test_a_specialist_is_one_file_of_at_most_forty_lines_that_passes_the_projects_own_checks(tmp_path: Path) -> None:
    long = "Loud music, parties and barking dogs at night, construction noise before seven, car alarms; noise records and permits for outdoor events."
    for name, description in (("xylophones", ""), ("street-light_zz", long), (LONG, "")):
        made = scaffold(name, description, SPECIALISTS)
        assert len(made.file.splitlines()) <= 40
        (tmp_path / f"{made.module}.py").write_text(made.file, "utf-8")
        (tmp_path / "tests").mkdir(exist_ok=True)
        (tmp_path / "tests" / f"test_{made.module}.py").write_text(made.test, "utf-8")
    for words in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *words, "--config", str(ROOT / "pyproject.toml"), "."],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


USUAL = """
    help other run a-b done stop complete completed final self myself human user resident approver list str print type int object id tuple match
    case task text result given dt noise tree x a-1 none true null agents model offline city registry specialist specialists grounding
    noise-complaints tree_care test graph store ledger artifacts messages problem records report city-hall streets housing-two permits2 permit
    pothole snow-plows street_lights this no thanks main node message next look_up count stored description c1 q1 exit parks-and-recreation
    water lead_pipes zoning 911 école 9lives Noise a--b a- -h _a
    """.split()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    make_sample(folder / RECORDS_FILE)
    return folder


@pytest.mark.parametrize("name", [*USUAL, "n" * 64, "n" * 65, "street lights", "дом"])
async def test_a_name_is_refused_or_works(name: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        made = scaffold(name, "", SPECIALISTS)
    except RegistryError as error:
        assert repr(name) in str(error) and name not in SHIPPED
        return
    if (
        (ROOT / "agents" / f"{made.module}.py").exists()
        or (ROOT / "agents" / made.module).exists()
        or (ROOT / f"tests/agents/test_{made.module}.py").exists()
    ):
        return  # the command refuses it
    module = types.ModuleType(f"agents.{made.module}")
    exec(compile(made.file, f"agents/{made.module}.py", "exec"), module.__dict__)
    new = vars(module)[made.module]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr("agents.registry.SPECIALISTS", (*SPECIALISTS, new))
    told: dict[str, Any] = {}
    exec(compile(made.test, "test", "exec"), told)
    tests = [value for key, value in told.items() if key.startswith("test_")]
    assert len(tests) == 2
    tests[0]()
    await tests[1](home)
    goal = made.file.split('GOAL="')[1].split('"')[0]
    for graph, given in (
        (build(specialists=(*SPECIALISTS, new), store=MemoryStore(), home=home), {"goal": goal}),
        (build_chat(desk_of((*SPECIALISTS, new), given_store=MemoryStore(), given_home=home), checkpointer=InMemorySaver()), {"messages": goal}),
    ):
        config: Any = {"configurable": {"thread_id": "t"}}
        values = await graph.ainvoke(given, config)
        ledger = values["ledger"] if "ledger" in values else (await graph.aget_state(config)).values["ledger"]
        assert (new.name, "done") in [(step["specialist"], step["status"]) for step in ledger["steps"]]
        assert made.module in values.get("answer", "") + str(values.get("messages"))


def test_a_description_that_breaks_the_file_is_refused() -> None:
    with pytest.raises(RegistryError, match="quotes"):
        scaffold("xylophones", 'Loud "music"', SPECIALISTS)
    with pytest.raises(RegistryError, match="tokens"):
        scaffold("xylophones", ("many words " * 40).strip(), SPECIALISTS)
    assert 'description="Loud music."' in scaffold("xylophones", "Loud music.", SPECIALISTS).file


@pytest.mark.parametrize("module", ["aaa", "xylophones", "zzz"])
def test_the_registry_gains_one_import_and_one_line(module: str) -> None:
    after = registered_in(REGISTRY, module)
    added = [line for line in after.splitlines() if line not in REGISTRY.splitlines()]
    assert added == [f"from agents.{module} import {module}", f"    {module},"]
    imports = [line for line in after.splitlines() if line.startswith("from agents.")]
    assert imports == sorted(imports)
    with pytest.raises(RegistryError, match="by hand"):
        registered_in("SPECIALISTS = ()\n", module)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return copied(tmp_path)


def copied(folder: Path) -> Path:
    """Make a throw-away copy of what the repository holds."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    registry = (ROOT / "agents" / "registry.py").read_text()
    (folder / "agents" / "registry.py").write_text(only_shipped(registry))
    for name in set(re.findall(r"^from agents\.(\w+) import \1$", registry, re.M)) - {*SHIPPED}:
        for path in (folder / "agents" / f"{name}.py", folder / "tests" / "agents" / f"test_{name}.py"):
            path.unlink(missing_ok=True)
    return folder


def only_shipped(registry: str) -> str:
    """Return the registry with the four shipped specialists, whatever has been added to it."""
    lines = []
    for line in registry.splitlines(keepends=True):
        found = re.fullmatch(r"from agents\.(\w+) import \1\n|    (\w+),\n", line)
        if not found or (found[1] or found[2]) in SHIPPED:
            lines.append(line)
    return "".join(lines)


def python(copy: Path, *words: str, code: int = 0) -> str:
    """Run Python in the copy, without a key or a configured model."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DESK_", "OPENAI_", "REDIS_", "PYTEST_"))}
    done = subprocess.run([sys.executable, *words], cwd=copy, env=env | {"PYTHONPATH": str(copy)}, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


def run(copy: Path, goal: str) -> Any:
    return json.loads(python(copy, "-m", "graph", "run", "--json", goal))


def test_a_new_specialist_works_at_once(copy: Path) -> None:
    python(copy, "-m", "graph", "specialist", "xylophones")
    assert len((copy / "agents" / "xylophones.py").read_text().splitlines()) <= 40
    assert "2 passed" in python(copy, "-m", "pytest", "-q", "tests/agents/test_xylophones.py")
    found = run(copy, "There is a problem with xylophones at 31 Lantern St, and rats in the yard.")
    assert {(step["specialist"], step["status"]) for step in found["ledger"]["steps"]} == {("xylophones", "done"), ("sanitation", "done")}
    assert found["status"] == "done" and "agents/xylophones.py" in found["answer"]
    assert not re.search(r"\bc\d", found["answer"]) and "place: 31 Lantern St" in found["answer"]
    assert "xylophones" in [line["name"] for line in found["ledger"]["setup"]["roster"]]
    assert re.search(r"^least budget +[\d,]+$", python(copy, "-m", "graph", "bound"), re.M)
    again = python(copy, "-m", "graph", "specialist", "xylophones", code=2)
    assert again.startswith("error: ") and "twice" in again and "Traceback" not in again
    for taken in ("offline", "model", "specialists"):
        assert "exists already" in python(copy, "-m", "graph", "specialist", taken, code=2)


def test_the_readmes_own_source_works_as_it_stands_there(copy: Path) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    name, description = re.findall(r'make specialist NAME=(\w+) DESCRIPTION="(.+)"', readme)[0]
    told = python(copy, "-m", "graph", "specialist", name, "--description", description)
    assert told in readme, "the output is shown as it is"
    diff = readme.partition("```diff\n")[2].partition("```")[0]
    registry = (copy / "agents" / "registry.py").read_text("utf-8").splitlines()
    shown = [line[1:] for line in diff.splitlines() if line != " ..."]
    assert [line for line in registry if line in shown] == shown, "the diff has the lines where they are put"
    file, test = copy / "agents" / f"{name}.py", copy / "tests" / "agents" / f"test_{name}.py"
    source = re.findall(r"```python\n(def look_up.+?)```", readme, re.S)[0]
    written = re.sub(r"def look_up.+?(?=\n\nasync def run)", lambda _: source, file.read_text("utf-8"), flags=re.S)
    written = written.replace("from agents.specialist", "import csv\n\nfrom agents.specialist").replace("awaited\n", "awaited, same_place\n")
    file.write_text(written, "utf-8")
    (copy / "noise.csv").write_text("id,address,what\nN1001,31 LANTERN STREET,drums at night\nN1002,48 Harrow Ave,a dog barks\n", "utf-8")
    test.write_text(re.sub(r"ASK, FOUND = .+", 'ASK, FOUND = "noise at 31 Lantern St", "N1001"', test.read_text("utf-8")), "utf-8")
    assert "2 passed" in python(copy, "-m", "pytest", "-q", str(test))
    goal, line = re.findall(r'make run GOAL="(.+)"\n +1 (noise .+)', readme)[0]
    found = run(copy, goal)
    assert "N1001 drums at night" in found["answer"] and "N1002" not in found["answer"] and "1 on file" in line
    asked = python(copy, "-m", "graph", "run", "--no-ask", re.sub(r" at \d.+", " every night.", goal), code=3)
    assert "nobody answered: Which address or street is it about?" in asked
    checked = subprocess.run([sys.executable, "-m", "ruff", "check", "agents", "tests/agents"], cwd=copy, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_one_of_the_four_taken_away_leaves_a_working_desk(copy: Path) -> None:
    registry = copy / "agents" / "registry.py"
    lines = [line for line in registry.read_text().splitlines() if "housing" not in line]
    registry.write_text("\n".join(lines) + "\n")
    (copy / "agents" / "housing.py").unlink()
    found = run(copy, "Rats in the yard of 31 Lantern St, and no heat since Friday.")
    assert {step["specialist"] for step in found["ledger"]["steps"]} == {"sanitation"}
    assert found["status"] == "done" and "housing" not in [line["name"] for line in found["ledger"]["setup"]["roster"]]
    assert "Out of scope" in run(copy, "No heat since Friday at 31 Lantern St.")["answer"]
