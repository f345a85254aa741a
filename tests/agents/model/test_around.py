"""What stands around, beside and inside a decision: it is silent or means the same, or nobody is dispatched."""

import json
from typing import Any

import pytest

from agents.model.faults import Fault
from tests.agents.model.replies import AGAINST, FULL, HARMLESS, PROSE, SPOKEN, TWICE, filled, message, read

MADE = ('{"next":"permits"}', json.dumps(FULL), json.dumps(FULL, indent=2))
DISTANCES = [" ".join((PROSE * 20)[:count]) for count in (0, 1, 160)]


@pytest.mark.parametrize("form", HARMLESS)
def test_what_models_write_around_a_decision_does_it_no_harm(form: str) -> None:
    assert [read(filled(form, made, "housing")) for made in MADE] == [["permits"]] * 3
    assert read(message(("permits", {"ask": "c1"}), content=filled(form, "permits", "housing"))) == ["permits"]


@pytest.mark.parametrize("form", AGAINST)
def test_a_decision_that_is_taken_back_at_any_distance_is_ambiguous(form: str) -> None:
    for prose in DISTANCES:
        assert {read(filled(form, made, "housing", prose)) for made in MADE[:2]} == {Fault.AMBIGUOUS}


@pytest.mark.parametrize("form", SPOKEN)
def test_what_stands_beside_a_tool_call_takes_it_back(form: str) -> None:
    for prose in DISTANCES:
        said = filled(form, "this", "housing", prose)
        assert read(message(("permits", {"ask": "c1"}), content=said)) is read(message(("decision", FULL), content=said)) is Fault.AMBIGUOUS


@pytest.mark.parametrize(
    "content",
    [
        "housing",
        "Housing!",
        "HOUSING first",
        "permits, then street lights",
        '{"next":"housing"}',
        '{"next":"parks"}',
        "```json\n{'specialist': 'housing', 'ask': 'c1'}\n```",
        '{"action":"finish"}',
        "FINISH",
        "Let us close the case.",
        "permits?",
        "transfer_to_housing",
        "streetLights",
        "h\u200bousing",
        "ｈｏｕｓｉｎｇ",
        "һousing",
        "<think>permits",
    ],
)
def test_a_second_mention_beside_a_tool_call_never_dispatches(content: str) -> None:
    assert isinstance(read(message(("permits", {"ask": "c1"}), content=content)), Fault)


@pytest.mark.parametrize(
    "content",
    [
        "permits",
        "Transferring to permits.",
        '{"next":"permits"}',
        "PERMITS: c1 is about a fence at 12 Elm St.",
        "The resident asks about a fence. I will check whether a permit exists.",
        "<think>housing or permits? not housing</think>Permits it is.",
        [{"type": "text", "text": "I look the fence up."}, {"type": "thinking", "thinking": "housing?"}],
        [{"type": "reasoning", "text": "not permits, housing"}, {"type": "text", "text": "On it."}],
    ],
)
def test_words_beside_a_tool_call_that_name_nobody_else_do_no_harm(content: Any) -> None:
    assert read(message(("permits", {"ask": "c1"}), content=content)) == ["permits"]


@pytest.mark.parametrize("text", TWICE)
def test_a_key_that_stands_twice_says_neither(text: str) -> None:
    assert read(text) is read(json.dumps(text)) is read(f"Sure: {text}") is Fault.AMBIGUOUS
    assert read(message(("decision", text))) is read(json.dumps({"arguments": text})) is Fault.AMBIGUOUS


@pytest.mark.parametrize("depth", [0, 1, 3, 4, 9, 40])
@pytest.mark.parametrize("key", ["args", "notes", "x"])
@pytest.mark.parametrize(
    "inner", [{"next": "housing"}, {"specialist": "housing"}, {"action": "finish"}, {"valid": False}, {"not": "permits"}, "housing"]
)
def test_a_contradiction_is_heard_at_any_depth(depth: int, key: str, inner: Any) -> None:
    for _ in range(depth):
        inner = {key: inner}
    for made in ({**FULL, "args": inner}, {"next": "permits", "extra": [inner]}, {"next": "permits", "input": json.dumps(inner)}):
        assert read(json.dumps(made)) is read(json.dumps(json.dumps(made))) is read(message(("decision", made))) is Fault.AMBIGUOUS


@pytest.mark.parametrize(
    "text",
    [
        '{"next":["permits","housing"]}',
        '["permits","housing"]',
        '[{"specialist":"permits"},{"specialist":"housing"}]',
        '{"next":"permits","else":"housing"}',
        '{"if":"c1 is open","next":"permits"}',
        '{"next":"permits","alternatives":["street lights"]}',
        '{"next":"permits","except":"permits"}',
        '{"next":"permits","cancelled":true}',
        '{"next":"permits","approved":false}',
        '{"next":"permits","do_not_dispatch":"yes"}',
        '{"next":"permits","doNotSend":1}',
        '{"next":"permits","comment":"on second thought, no"}',
        '{"next":"permits","comment":"or housing"}',
        '{"next":"permits","comment":"h\\\\u006fusing"}',
        '"{\\"next\\":\\"permits\\"}" "{\\"next\\":\\"housing\\"}"',
        '{"decision":"{\\"next\\":\\"permits\\"}","args":"{\\"next\\":\\"housing\\"}"}',
        '{"name":"do_not_route","arguments":{"next":"permits"}}',
    ],
)
def test_alternatives_and_conditions_inside_an_object_dispatch_nobody(text: str) -> None:
    assert isinstance(read(text), Fault)


def test_arguments_are_one_object_and_nothing_else() -> None:
    for given in ('{"next":"permits"}{"next":"housing"}', 'not {"next":"permits"}', '{"next":"permits"} or housing', '["permits"]'):
        assert isinstance(read(message(("decision", given))), Fault)
    assert read(message(("decision", '{"next":"permits"}}'))) == ["permits"]
    assert read(message(("cancel", {"next": "permits"}))) is Fault.AMBIGUOUS


def test_the_dispatches_of_a_list_count_where_each_has_its_ask() -> None:
    assert read('[{"specialist":"permits","ask":"c1"},{"specialist":"housing","ask":"c2"}]') == ["permits", "housing"]
    assert read('{"type":"function","function":{"name":"permits","arguments":{"ask":"c1"}}}') == ["permits"]


@pytest.mark.parametrize(
    "form",
    [
        "{}\nActually, housing.",
        "{}\n\nScratch that. Send it to housing.",
        "{}. That is wrong.",
        "{} would be a mistake.",
        "{}\n```\nDisregard the above.",
        "{} or housing",
        "{} or stop",
        '{}\n["housing"]',
        "{}\nThen Street Lights.",
        "{}\nPlease call transfer_to_housing",
        '{} {{"next_agent":"housing"}}',
        "Incorrect: {}",
        "Wrong. {}",
        "Wrong!\n\n[{}]",
        "Do not do this:\n{}",
        "Do not do this:\n```json\n{}\n```",
        "Do not, whatever happens, send it on like this: {}",
        "~~{}~~",
    ],
)
@pytest.mark.parametrize("made", ['{"next":"permits"}', json.dumps(FULL), '{"action":"finish"}'])
def test_words_around_an_object_that_speak_against_it_are_heard(form: str, made: str) -> None:
    assert read(form.format(made)) is Fault.AMBIGUOUS


@pytest.mark.parametrize(
    "form", ["This is for permits.\n{}", "{}\nPermits will see to it.", "```json\n{}\n```\nAll good!", '{{"thought":"c1 is not done"}}\n{}']
)
def test_words_around_an_object_that_agree_with_it_do_no_harm(form: str) -> None:
    assert read(form.format('{"next":"permits"}')) == ["permits"]


@pytest.mark.parametrize(
    "made",
    [
        {"next": "permits", "specialist": "housing"},
        {"next": "permits", "specialist": "parks"},
        {"dispatch": "permits", "specialist": "housing"},
        {"action": "dispatch", "dispatch": ["permits"], "next": "housing"},
        {"action": "dispatch", "dispatch": ["permits", "housing"], "next": "housing"},
        {"action": "dispatch", "dispatch": [{"specialist": "permits", "ask": "c1", "next": "housing"}]},
        {"action": "dispatch", "dispatch": [{"specialist": "permits", "ask": "c1", "action": "finish"}]},
        {"action": "dispatch", "dispatch": ["permits"], "next": "FINISH"},
        {"decision": {"next": "permits"}, "args": {"next": "housing"}},
        {"next": "permits", "args": {"next": "housing"}},
        {"action": "finish", "next": "permits"},
        {"action": "finish", "args": {"specialist": "permits"}},
        {"name": "permits", "parameters": {"next": "housing"}},
        {"name": "finish", "parameters": {"next": "housing"}},
        {"name": "permits", "next": "housing"},
    ],
)
def test_an_object_that_means_two_things_means_neither(made: dict[str, object]) -> None:
    assert read(json.dumps(made)) is Fault.AMBIGUOUS
    assert read(message(("decision", made))) is Fault.AMBIGUOUS


@pytest.mark.parametrize(
    "made",
    [
        {"next": "permits", "specialist": "Permits"},
        {"action": "dispatch", "dispatch": ["permits"], "next": None},
        {"name": "permits", "arguments": {"specialist": "permits", "ask": "c1"}},
        {"decision": {"next": "permits"}, "args": {"next": ["permits"]}, "name": "Jane"},
    ],
)
def test_an_object_that_says_the_same_twice_counts(made: dict[str, object]) -> None:
    assert read(json.dumps(made)) == ["permits"]


@pytest.mark.parametrize("given", [{"specialist": "housing"}, {"next": "housing"}, {"action": "finish"}, {"args": {"next": "housing"}}])
def test_a_tool_whose_arguments_name_somebody_else_is_ambiguous(given: dict[str, object]) -> None:
    assert read(message(("permits", given))) is Fault.AMBIGUOUS


def test_what_stands_beside_a_tool_call_can_speak_against_it() -> None:
    assert read(message(("finish", {"next": "permits"}))) is Fault.AMBIGUOUS
    assert read(message(("permits", {}), content="do not use permits, use housing")) is Fault.AMBIGUOUS
    assert read(message(("permits", {}), content="<think>not housing</think>On it.")) == ["permits"]
    assert read(message(("permits", {}), content="<think>not housing</think>")) == ["permits"]
