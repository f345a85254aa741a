"""Ledger files with a text planted wherever one from outside can stand, past the contracts that would have cut it."""

from copy import deepcopy
from typing import Any

from graph.files import LedgerFile

JSON = dict[str, Any]
QUESTION = {"id": "q1", "step": 1, "specialist": "permits", "criteria": ["c1"], "to": "resident", "status": "open", "answer": "", "handle": None}


def planted(file: LedgerFile, text: str) -> LedgerFile:
    """Return the file with `text` as goal, reasons, asks, headlines, outcomes, facts, causes, questions, descriptions and answer.

    Only goal and answer take more than a contract's longest text: a ledger with more elsewhere does not match its digest and is never shown.
    """
    goal, text = text, text[:600]
    ledger, artifacts = deepcopy(file.ledger), deepcopy(file.artifacts)
    archives = deepcopy(file.archives)
    ledger |= {"goal": goal, "reason": text, "questions": [QUESTION | {"text": text, "answer": text, "decision": None, "after": None}]}
    for item in ledger["criteria"]:
        item |= {"text": text, "reason": text}
    for part in (ledger, *archives.values()):
        for step in part["steps"]:
            step |= {"ask": text, "headline": text, "outcome": text, "cause": text, "facts": {"count": text, "list": [text]}}
        for item in part["decisions"]:
            item |= {"reason": text, "raw": text, "detail": text, "justified": text, "model": text}
            for sent in item["dispatch"]:
                sent["ask"] = text
    for handle in (*artifacts.values(), *(item for part in archives.values() for item in part["artifacts"].values())):
        handle |= {"description": text, "kind": text, "producer": text, "media_type": text}
    return LedgerFile(ledger, artifacts, archives, goal)
