"""JSON values out of whatever a model wrote around, in or instead of them."""

import json
import re
from collections.abc import Container, Iterator, Mapping
from typing import Any

from agents.model.faults import Fault
from agents.model.names import ANSI, Unreadable
from agents.model.prose import OBJECT

MAX_CHARS = 32_768
"""Characters of a reply that are read; a longer one is a fault."""
MAX_SPANS = 20
"""Places in a text that are tried as the beginning of an object."""

_TAG = r"(?:think|thinking|thought|reasoning)\b[^<>]*>"
_THINK = re.compile(rf"<{_TAG}.*?</{_TAG}|\[THINK\].*?\[/THINK\]|◁think▷.*?◁/think▷|^.*</{_TAG}", re.S | re.I)
_UNSAID = "<…>"
_FENCE = re.compile(r"^(?:```|~~~)[^\n`{]*|(?:```|~~~)\s*$")
_CURLY = str.maketrans("“”„‟‘’", '""""\'\'')
_TOKEN = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[A-Za-z_][\w-]*|-?\d[\d.eE+-]*|\s+|.", re.S)
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_LITERALS = {"None": "null", "True": "true", "False": "false", "null": "null", "true": "true", "false": "false"}


def read_object(reply: Any) -> dict[str, Any] | Fault:
    """Return the one JSON object in a message or text, or the fault that kept it from being read."""
    try:
        calls = tool_calls(reply)
        found = [opened(call[1]) for call in calls] if calls else parted(without_thoughts(text_of(reply)))[0]
    except Unreadable as wrong:
        return wrong.fault
    objects = [value for value in found if isinstance(value, dict)]
    if not objects:
        return Fault.MALFORMED
    return objects[0] if all(value == objects[0] for value in objects) else Fault.AMBIGUOUS


def text_of(reply: Any) -> str:
    """Return the text of a message or the text itself.

    Raises:
        Unreadable: It is empty or absurdly long.
    """
    content = reply if isinstance(reply, str) else getattr(reply, "content", None)
    if isinstance(content, list):
        parts = [part if isinstance(part, Mapping) else {"text": part} for part in content]
        content = "".join(str(part.get("text") or "") for part in parts if part.get("type", "text") in ("text", "output_text"))
    if not isinstance(content, str) or not content.strip():
        raise Unreadable(Fault.EMPTY, "the reply is empty")
    if len(content) > MAX_CHARS:
        raise Unreadable(Fault.MALFORMED, f"the reply has over {MAX_CHARS} characters")
    return content


def tool_calls(reply: Any) -> list[tuple[Any, Any]]:
    """Return the name and arguments of each tool call in a message, broken ones included."""
    calls = [*(getattr(reply, "tool_calls", None) or ()), *(getattr(reply, "invalid_tool_calls", None) or ())]
    found = [(call.get("name"), call.get("args")) for call in calls if isinstance(call, Mapping)]
    older = getattr(reply, "additional_kwargs", {}).get("function_call")
    return [*found, (older.get("name"), older.get("arguments"))] if isinstance(older, Mapping) else found


def said_in(reply: Any) -> str:
    """Return what a message says outside its thoughts, its tool calls included, for a record of it."""
    text = _THINK.sub(_UNSAID, ANSI.sub("", str(getattr(reply, "text", reply))[:MAX_CHARS]))
    if unended := re.search(f"<{_TAG}", text, re.I):
        text = text[: unended.start()] + _UNSAID
    return " ".join([text, *(f"{name}({given})" for name, given in tool_calls(reply))]).strip()


def says_twice(text: Any) -> bool:
    """Say whether `text` is JSON in which a key stands twice with different values."""
    try:
        _loads(text if isinstance(text, str) else "")
    except Unreadable:
        return True
    except ValueError:
        pass
    return False


def without_thoughts(text: str) -> str:
    """Return `text` without terminal codes, think blocks and what precedes a lone closing tag.

    Raises:
        Unreadable: A block is opened and never closed, or nothing follows it.
    """
    if text.lstrip().startswith("{"):
        return text.strip()
    text = _THINK.sub("", ANSI.sub("", text)).strip()
    if re.search(f"<{_TAG}", text, re.I):
        raise Unreadable(Fault.UNCLOSED_THINK, "the think block never ends")
    if not text:
        raise Unreadable(Fault.EMPTY, "the reply is empty but for its thoughts")
    return text


def opened(value: Any) -> Any:
    """Return `value`, or the one object in it where it is text that holds one and nothing else; blank text is an empty object."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return {}
    found, words = parted(value[:MAX_CHARS])
    return found[0] if len(found) == 1 and not words.strip(f" \t\r\n}}{OBJECT}") else None


def nested(value: Any, free: Container[str]) -> Iterator[Any]:
    """Yield `value` and all that is in it at any depth, with texts that hold an object opened, without empty values and what `free` keys say."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        yield value
        if isinstance(value, Mapping):
            waiting += [item for key, item in value.items() if item not in _EMPTY and not (key in free and isinstance(item, str | list))]
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str) and value.lstrip().startswith(("{", "[", '"')):
            waiting += parted(value[:MAX_CHARS])[0]


def parted(text: str) -> tuple[list[Any], str]:
    """Part `text` into its outermost JSON objects, mended if need be, and the words around them with a mark for each object.

    Raises:
        Unreadable: A key stands twice in one object with different values, so neither counts.
    """
    try:
        whole = _loads(_FENCE.sub("", _FENCE.sub("", text.strip())) if text.startswith(("```", "~~~")) else text)
        return ([whole], OBJECT) if isinstance(whole, dict | list) else ([], text)
    except ValueError:
        pass
    found, words, last = [], "", 0
    for start, end in _spans(text.translate(_CURLY)):
        for piece in (text[start:end], _mended(text[start:end])):
            try:
                found.append(_loads(piece))
            except ValueError:
                continue
            words, last = words + text[last:start] + OBJECT, end
            break
    return found, words + text[last:]


def _loads(text: str) -> Any:
    """Parse JSON as it stands, and once more where it is a string that holds JSON."""
    try:
        value = _parsed(text)
        return _parsed(value) if isinstance(value, str) and value.lstrip().startswith("{") else value
    except RecursionError:
        raise ValueError("nests too deeply") from None


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_unique, strict=False)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs) and any(found[key] != value for key, value in pairs):
        raise Unreadable(Fault.AMBIGUOUS, "a key stands twice with different values")
    return found


def _spans(text: str) -> Iterator[tuple[int, int]]:
    at, tries = 0, 0
    while (start := text.find("{", at)) >= 0 and tries < MAX_SPANS:
        end = _closing(text, start)
        if end:
            yield start, end
        at, tries = end or start + 1, tries + 1


def _closing(text: str, start: int) -> int:
    depth = 0
    for token in re.finditer(r'"(?:\\.|[^"\\])*"|[{}]', text[start:]):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if not depth:
            return start + token.end()
    return 0


def _mended(text: str) -> str:
    """Quote keys and bare words, turn other quotes into JSON's, drop commas before a closing bracket; add nothing else."""
    out: list[str] = []
    for token in _TOKEN.findall(text.translate(_CURLY)):
        if token[0] == "'" and len(token) > 1:
            token = json.dumps(token[1:-1].replace("\\'", "'"))
        elif token[0].isalpha() or token[0] == "_":
            token = _LITERALS.get(token) or json.dumps(token)
        elif token in "}]" and out and out[-1] == ",":
            out.pop()
        if not token.isspace():
            out.append(token)
    return "".join(out)
