"""Templates to HTML: everything escaped, style and script inline and named by their hash in a strict content policy."""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from contracts import one_line

LONGEST = 2000
"""Characters of a text that the board shows; contracts allow fewer, but a forged ledger might not keep to them."""


@cache
def environment() -> Environment:
    """Return the templates' environment; read on first use."""
    loader = PackageLoader("graph.board")
    made = Environment(loader=loader, autoescape=True, finalize=visible, undefined=StrictUndefined, trim_blocks=True, auto_reload=False)
    made.globals.update(style=_static("board.css"), script=_static("board.js"))
    return made


def visible(value: Any) -> Any:
    """Return a text bounded and without invisible characters, which could turn the words around it; anything else as it is."""
    if not isinstance(value, str) or isinstance(value, Markup) or (value.isprintable() and len(value) <= LONGEST):
        return value
    text = "\n".join(one_line(line) for line in value[:LONGEST].splitlines())
    return text if len(value) <= LONGEST else f"{text}…"


@cache
def policy(*, static: bool = False) -> str:
    """Return the content policy of a page; a static file fetches nothing at all, and cannot forbid being framed."""
    parts = {
        "default-src": "'none'",
        "script-src": _hash(_static("board.js")),
        "style-src": _hash(_static("board.css")),
        "img-src": "data:",
        "connect-src": "'none'" if static else "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in (parts if static else parts | {"frame-ancestors": "'none'"}).items())


def render(template: str, *, static: bool = False, **values: Any) -> str:
    """Return one page."""
    return environment().get_template(template).render(policy=policy(static=True) if static else "", **values)


@cache
def _static(name: str) -> Markup:
    return Markup(files("graph.board").joinpath("static", name).read_text("utf-8"))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
