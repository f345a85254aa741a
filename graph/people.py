"""The pause for people, in the shapes that chat clients and inboxes show, and what they send back as one text for each question.

A pause is an object with `action_request`, `config` and `description` (agent inbox, agent-chat-ui) and, for newer clients, with
`action_requests` and `review_configs`; `questions` is the plain list for everybody else.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.model.links import defused
from contracts import one_line
from contracts.returns import Audience
from ledger.events import ANSWER

JSON = dict[str, Any]
NO = "no"
YES = "yes"
AGAIN = "This is another request than the one approved before; approve it once more to go on, or answer by its id."
_ID = re.compile(r"q\d+(?:\.\d)?")
_TOLD = ("answer", "text", "message", "args", "edited_action")


def pause(case: str, waiting: Sequence[JSON], note: str = "") -> JSON:
    """Return the payload of one pause for all open questions; a note is shown before them."""
    approval = all(item["to"] == Audience.APPROVER for item in waiting)
    several = len(waiting) > 1
    names = {item["id"]: "approve" if item["to"] == Audience.APPROVER else "answer" for item in waiting}
    waiting = [{**item, "text": defused(item["text"], "")} for item in waiting]
    asked = {item["id"]: item["text"] for item in waiting}
    description = "\n".join(f"{name}: {text}" for name, text in asked.items()) if several else waiting[0]["text"]
    return {
        "kind": "questions",
        "case": case,
        "questions": [{key: item[key] for key in ("id", "to", "text")} for item in waiting],
        "action_request": {
            "action": "Approve" if approval else "Answer",
            "args": dict.fromkeys(asked, "") if several else {"question": waiting[0]["text"]},
        },
        "config": {"allow_accept": approval and not several, "allow_edit": several, "allow_respond": True, "allow_ignore": True},
        "description": f"{note}\n\n{description}" if note else description,
        "action_requests": [
            {"name": names[name], "args": {"question": text}, "description": f"{note} {text}".lstrip()} for name, text in asked.items()
        ],
        "review_configs": [
            {"action_name": name, "allowed_decisions": [*(["approve"] if name == "approve" else []), "respond", "reject"]}
            for name in dict.fromkeys(names.values())
        ],
    }


def answers(resumed: Any, waiting: Sequence[JSON]) -> dict[str, str]:
    """Read what a client resumed with: texts by question id, one response for each, or one for all, which approves only what is asked alone."""
    parts = _parts(resumed)
    one_each = len(parts) == len(waiting)
    each = parts if one_each else parts[:1] * len(waiting)
    named = {name: text for name, text in _named(parts).items() if name in {item["id"] for item in waiting}}
    said: dict[str, str] = {}
    for item, part in zip(waiting, each, strict=False):
        if named or one_each or item["to"] != Audience.APPROVER:
            said[item["id"]] = _text(named.get(item["id"], "") if named else part, item)
    return {item["id"]: said.get(item["id"], "") or (NO if item["to"] == Audience.APPROVER else "") for item in waiting}


def is_of_others(resumed: Any, waiting: Sequence[JSON]) -> bool:
    """Say whether a response names questions, and none that is waiting: one that was sent twice is no answer to what came after it."""
    named = _named(_parts(resumed))
    return bool(named) and not named.keys() & {item["id"] for item in waiting}


def is_approved_again(resumed: Any, waiting: Sequence[JSON], before: Sequence[JSON]) -> bool:
    """Say whether a response that names no question would approve one in the very words that approved another: it may be a second click."""
    said = {item["answer"].casefold() for item in before if item["to"] == Audience.APPROVER and item["status"] == "answered"}
    given = answers(resumed, waiting)
    new = {ANSWER.cut(one_line(given[item["id"]])).casefold() for item in waiting if item["to"] == Audience.APPROVER}
    return not _named(_parts(resumed)) and any(text != NO and not text.startswith(f"{NO}:") for text in new & said)


def _parts(resumed: Any) -> list[Any]:
    if isinstance(resumed, Mapping) and isinstance(resumed.get("decisions"), list):
        resumed = resumed["decisions"]
    return resumed if isinstance(resumed, list) else [resumed]


def _named(parts: Sequence[Any]) -> JSON:
    return {name: text for part in parts for name, text in _by_id(part).items()}


def _by_id(part: Any) -> JSON:
    """Return the texts by question id that a response carries, at whatever depth its client puts them."""
    if not isinstance(part, Mapping):
        return {}
    found = {str(key): value for key, value in part.items() if _ID.fullmatch(str(key))}
    return found or next((inner for key in _TOLD if (inner := _by_id(part.get(key)))), {})


def _text(part: Any, item: JSON) -> str:
    """Return one response as the text that it stands for."""
    approver = item["to"] == Audience.APPROVER
    if isinstance(part, bool):
        return (YES if part else NO) if approver else ""
    if not isinstance(part, Mapping):
        return "" if part is None else str(part)
    told = next((value for key in _TOLD if isinstance(value := part.get(key), str) and value.strip()), "")
    match part.get("type"):
        case "accept" | "approve":
            return YES if approver else told
        case "ignore" | "reject":
            return (f"{NO}: {told}" if told else NO) if approver else ""
        case _:
            return told
