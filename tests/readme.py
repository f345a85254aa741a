"""Write the generated parts of README.md and .env.example from the code: `python -m tests.readme`."""

import re
from pathlib import Path

from pydantic_settings import BaseSettings

from agents.city.open311 import Open311Settings
from agents.model.settings import ModelSettings
from graph.settings import DeskSettings
from graph.workflow import graph

ROOT = Path(__file__).parent.parent


def picture() -> str:
    """Return the graph as GitHub draws it."""
    edges = graph.get_graph().edges
    names = {"__start__": "start([goal])", "__end__": "end_([answer text])"}
    lines = ["```mermaid", "flowchart LR"]
    for edge in edges:
        source, target = names.get(edge.source, edge.source), names.get(edge.target, edge.target)
        lines.append(f"    {source} {'-.->' if edge.conditional else '-->'} {target}")
    return "\n".join([*lines, "```"])


def rows() -> list[tuple[str, str, str]]:
    """Return variable, default and description of every setting."""
    kinds: tuple[type[BaseSettings], ...] = (ModelSettings, DeskSettings, Open311Settings)
    found = []
    for kind in kinds:
        for field in kind.model_fields.values():
            default = field.get_default(call_default_factory=True, validated_data={})
            shown = "" if default in (None, {}) else str(default)
            found.append((str(field.validation_alias), shown, str(field.description)))
    return found


def settings() -> str:
    """Return the configuration table."""
    lines = ["| variable | default | what it does |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| `{name}` | {f'`{default}`' if default else ''} | {text} |" for name, default, text in rows())])


def env_example() -> str:
    """Return the commented example file."""
    head = "# Copy to .env and set what you need; everything has a default, and an empty value counts as unset.\n"
    return head + "".join(f"\n# {text}\n# {name}={default}\n" for name, default, text in rows())


def written(text: str) -> str:
    """Return the README with its generated parts brought up to date."""
    for name, content in {"picture": picture(), "settings": settings()}.items():
        block = f"<!-- begin:{name} -->\n{content}\n<!-- end:{name} -->"
        text = re.sub(rf"<!-- begin:{name} -->.*?<!-- end:{name} -->", lambda _, block=block: block, text, flags=re.DOTALL)
    return text


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(written(readme.read_text("utf-8")), "utf-8")
    (ROOT / ".env.example").write_text(env_example(), "utf-8")
