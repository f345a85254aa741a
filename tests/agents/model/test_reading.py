"""Replies are read as decisions only where they unambiguously are; every other kind is a named fault."""

import json

import pytest

from agents.model.faults import Fault
from agents.model.objects import read_object
from agents.model.reading import read_decision
from agents.model.stated import Choice
from contracts.decision import Action
from tests.agents.model.replies import FULL, ROSTER, message, read


@pytest.mark.parametrize(
    "text",
    [
        "Permits ",
        "\npermits",
        "**permits**",
        "Next: permits.",
        "\x1b[33mpermits\x1b[0m",
        "PERMITS",
        "`permits`",
        '"permits"',
        "“permits”",
        "_permits_",
        "> permits",
        "- permits",
        "# permits",
        "Specialist: permits",
        "next = permits",
        "Next specialist: **Permits**",
        "-> permits",
        "transfer_to_permits",
        "handoff_to_permits",
        "[permits]",
        "(permits)",
        "permits!",
        "Decision: permits.",
        "\x1b[1;31mPermits\x1b[0m.",
        "\t permits \r\n",
        "```\npermits\n```",
    ],
)
def test_a_name_alone_counts_however_it_is_dressed(text: str) -> None:
    assert read(text) == ["permits"]


@pytest.mark.parametrize("text", ["street\\_lights", "Street Lights", "street-lights", "**street_lights**", "STREET_LIGHTS.", "Next: street lights"])
def test_separators_and_case_of_a_name_do_not_matter(text: str) -> None:
    assert read(text) == ["street_lights"]


@pytest.mark.parametrize(
    "text",
    [
        'Sure!\n```json\n{"next":"permits",}\n```',
        '{ next: "permits" }',
        'I choose {"next":"permits"} {because}',
        "{'next': 'permits'}",
        "{“next”: “permits”}",
        '"{\\"next\\": \\"permits\\"}"',
        '```\n{"next": "permits"}\n```',
        '{"next": ["permits", "permits"]}',
        '{"next": {"specialist": "permits", "ask": "c1"}}',
        '~~~json\n{"next":"Permits"}\n~~~',
        '{"specialist": "permits", "ask": "c1: look"}',
        '[{"specialist": "permits", "ask": "c1"}]',
        '{"decision": {"next": "permits"}}',
        '<tool_call>{"name": "decision", "arguments": {"next": "permits"}}</tool_call>',
        '{"name": "permits", "parameters": {"ask": "c1"}}',
        '{"action": "dispatch", "dispatch": "permits"}',
        '{"action": "Dispatch", "dispatch": ["permits"],}',
        '{"dispatch": [{"specialist": "permits", "ask": "c1", "handles": null}]}',
        'Here it is:\n{"next":"permits"}\nHope that helps!',
        '{"next":"permits"}{"next":"permits"}',
        '{"thought": "permits, not housing", "next": "permits"}',
        json.dumps(FULL, indent=2),
        json.dumps(json.dumps(FULL)),
    ],
)
def test_an_object_is_found_and_mended(text: str) -> None:
    assert read(text) == ["permits"]


def test_a_full_decision_keeps_every_part() -> None:
    found = read_decision(json.dumps(FULL), ROSTER)
    assert found.action is Action.DISPATCH and found.reason == "c1 is open" and found.out_of_scope == ("c3",)
    assert found.dispatch == (Choice("permits", "c1: permits at 12 Elm St", ("A1",)),)
    decision = found.decision(lambda name: "never used")
    assert decision.dispatch[0].ask == "c1: permits at 12 Elm St" and decision.dispatch[0].handles == ("A1",)


def test_an_ask_that_the_reply_did_not_give_comes_from_the_caller() -> None:
    assert read_decision("permits", ROSTER).decision(lambda name: f"Work on c1 ({name})").dispatch[0].ask == "Work on c1 (permits)"
    with pytest.raises(ValueError, match="no decision"):
        read_decision("parks", ROSTER).decision(lambda name: "x")


@pytest.mark.parametrize(
    "text",
    [
        "Finish",
        "FINISH.",
        "finished",
        "END",
        "__end__",
        "**finish**",
        "Next: FINISH",
        "{'next': 'FINISH'}",
        '{"action": "finished"}',
        "done",
        '{"action":"finish","dispatch":[]}',
    ],
)
def test_finish_has_many_spellings(text: str) -> None:
    assert read(text) is Action.FINISH


def test_ask_needs_no_dispatch() -> None:
    assert read('{"reason":"","action":"ask","dispatch":null,"out_of_scope":[]}') is Action.ASK


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("parks_and_rec", Fault.UNKNOWN_SPECIALIST),
        ('{"next": "parks_and_rec"}', Fault.UNKNOWN_SPECIALIST),
        ("permit", Fault.UNKNOWN_SPECIALIST),
        ("permitss", Fault.UNKNOWN_SPECIALIST),
        ("per mits", Fault.UNKNOWN_SPECIALIST),
        ('{"dispatch":["permits","parks"]}', Fault.UNKNOWN_SPECIALIST),
        ("supervisor", Fault.SELF_ROUTE),
        ('{"next": "router"}', Fault.SELF_ROUTE),
        ('{"dispatch":[{"specialist":"Supervisor","ask":"x"}]}', Fault.SELF_ROUTE),
        ('{"next_agent":"permits"}', Fault.WRONG_KEY),
        ('{"Next":"permits"}', Fault.WRONG_KEY),
        ('{"agent":"permits"}', Fault.WRONG_KEY),
        ('{"dispatch":[{"agent":"permits","ask":"c1"}]}', Fault.WRONG_KEY),
        ('{"not":"permits"}', Fault.WRONG_KEY),
        ("{}", Fault.WRONG_KEY),
        ('{"next": null}', Fault.NO_CHOICE),
        ('{"next": ""}', Fault.NO_CHOICE),
        ('{"action":"dispatch","dispatch":[]}', Fault.NO_CHOICE),
        ('{"action":"think","dispatch":[]}', Fault.UNKNOWN_ACTION),
        ('{"action":null,"dispatch":["permits"]}', Fault.UNKNOWN_ACTION),
        ('{"action":"dispatch|ask|finish","dispatch":[]}', Fault.UNKNOWN_ACTION),
        ('{"action":"finish","dispatch":[{"specialist":"permits","ask":"c1"}]}', Fault.CONTRADICTION),
        ('{"action":"ask","dispatch":["permits"]}', Fault.CONTRADICTION),
        ('{"next":["permits","FINISH"]}', Fault.UNKNOWN_SPECIALIST),
        ('{"specialist":"permits","ask":"c1","handles":["../A1"]}', Fault.CONTRADICTION),
        ('{"action":"dis', Fault.MALFORMED),
        ('{"next":"permits"', Fault.MALFORMED),
        ('{"next":"permits","ask":"half', Fault.MALFORMED),
        ("[1, 2]", Fault.NO_CHOICE),
        ("<think>permits it is", Fault.UNCLOSED_THINK),
        ("<thinking>\nhousing\n", Fault.UNCLOSED_THINK),
        ("<think>a</think><think>permits", Fault.UNCLOSED_THINK),
        ("", Fault.EMPTY),
        (" \n ", Fault.EMPTY),
        (None, Fault.EMPTY),
        (7, Fault.EMPTY),
        ("<think>permits</think>", Fault.EMPTY),
        (object(), Fault.EMPTY),
        ('{"answer": "Dear resident, your permit is ready."}', Fault.ANSWERED_ITSELF),
        ("Dear resident, the pothole on Elm Street was filled on 3 May. We are sorry for the trouble.", Fault.ANSWERED_ITSELF),
        ("You can apply for this at the city hall on weekdays from nine to five.", Fault.ANSWERED_ITSELF),
    ],
)
def test_what_is_not_a_decision_has_a_name(text: object, fault: Fault) -> None:
    assert read(text) is fault


@pytest.mark.parametrize(
    "text",
    [
        "I will pass this to permits now.",
        "Let me hand this over to housing.",
        "Transferring to permits...",
        "I'd route it to street_lights first.",
        "Permits should look at this.",
        "The next step is for permits to check the file.",
        "permits, please",
    ],
)
def test_an_announcement_is_no_decision(text: str) -> None:
    assert read(text) is Fault.PROSE


@pytest.mark.parametrize(
    "text",
    [
        "not permits",
        "Not permits.",
        "anything but permits",
        "permits or housing",
        "permits, housing",
        "permits\nhousing",
        "permits\npermits",
        "housing? no, permits",
        "never permits",
        "permits is wrong",
        "don't call permits",
        '{"next":"permits"} or {"next":"housing"}',
        '{"next":"permits","next":"housing"}',
        'never {"next":"permits"}',
        'I would not choose {"next":"permits"}',
        '{"next":"permits"} is wrong',
        'Do not send {"specialist":"permits","ask":"c1"}',
        '{"next":"permits"} - no, housing',
        'Wrong: {"next":"permits"}. Right: {"next":"housing"}',
        'instead of {"next": "permits"} stop',
        'Example: [{"next":"permits"},{"next":"housing"}]',
        '{"next":"FINISH"} {"next":"permits"}',
        '{"dispatch":["permits"],"dispatch":["housing"]}',
        "permits permits",
        "¬permits",
        "no permits",
        "un-permits",
        "{not permits}",
    ],
)
def test_a_negated_or_second_mention_never_dispatches(text: str) -> None:
    assert isinstance(read(text), Fault)


@pytest.mark.parametrize(
    "name",
    [
        "per\u200bmits",
        "реrmits",
        "\u202epermits",
        "permits\u2060",
        "ｐermits",
        "permıts",
        "permitſ",
        "stimrep\u202e",
        "p\u0435rmits",
        "per\u00admits",
        "permits\ufe0f",
    ],
)
@pytest.mark.parametrize("form", ["{}", '{{"next":"{}"}}', '{{"action":"dispatch","dispatch":[{{"specialist":"{}","ask":"c1","handles":[]}}]}}'])
def test_a_name_that_only_looks_like_one_is_unknown(name: str, form: str) -> None:
    assert read(form.format(name)) is Fault.UNKNOWN_SPECIALIST


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<think>housing? no, {"next":"FINISH"}</think>{"next":"permits"}', ["permits"]),
        ("<think>housing</think>\n\npermits", ["permits"]),
        ('housing would do\n</think>\n{"next":"permits"}', ["permits"]),
        ('<thinking a="1">x</thinking><reasoning>y</reasoning>{"next":"permits"}', ["permits"]),
        ('<THINK>housing</THINK>{"next":"permits"}', ["permits"]),
        ('{"next":"permits","reason":"<think> is fine in a string"}', ["permits"]),
    ],
)
def test_thoughts_are_not_the_answer(text: str, expected: list[str]) -> None:
    assert read(text) == expected


def test_several_tool_calls_are_one_fan_out_without_duplicates() -> None:
    found = read_decision(message(("permits", {"ask": "c1"}), ("housing", {"ask": "c2"}), ("permits", {"ask": "c1"})), ROSTER)
    assert found.dispatch == (Choice("permits", "c1"), Choice("housing", "c2"))
    found = read_decision(message(("decision", FULL), ("decision", {**FULL, "dispatch": ["housing"]}), ("decision", FULL)), ROSTER)
    assert [choice.specialist for choice in found.dispatch] == ["permits", "housing"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([("decision", FULL)], ["permits"]),
        ([("transfer_to_housing", {})], ["housing"]),
        ([("decision", '{"action":"dispatch","dispatch":["permits",]}')], ["permits"]),
        ([("decision", {"action": "finish"}), ("permits", {"ask": "c1"})], Fault.AMBIGUOUS),
        ([("parks", {"ask": "c1"})], Fault.WRONG_KEY),
        ([("finish", {})], Action.FINISH),
        ([("decision", '{"action":"dis')], Fault.MALFORMED),
        ([("decision", None)], Fault.MALFORMED),
        ([("decision", "[]")], Fault.MALFORMED),
        ([("decision", "")], Fault.WRONG_KEY),
        ([(f"s{n}", {}) for n in range(3)], Fault.WRONG_KEY),
    ],
)
def test_tool_calls_are_read_like_text(wanted: list[tuple[str, object]], expected: object) -> None:
    assert read(message(*wanted)) == expected


def test_a_fan_out_is_bounded() -> None:
    many = [{"specialist": "permits", "ask": f"c1: house {n}"} for n in range(9)]
    assert read(json.dumps({"action": "dispatch", "dispatch": many})) is Fault.CONTRADICTION
    assert read(message(*[("permits", {"ask": item["ask"]}) for item in many])) is Fault.CONTRADICTION


def test_long_texts_are_cut_and_hidden_characters_removed() -> None:
    found = read_decision(
        json.dumps({**FULL, "reason": "x" * 9999, "dispatch": [{"specialist": "permits", "ask": "c1\n\u202eSTEPS " + "y " * 999}]}), ROSTER
    )
    decision = found.decision(lambda name: "")
    assert len(decision.reason) <= 240 and len(decision.dispatch[0].ask) <= 240
    assert "\n" not in decision.dispatch[0].ask and "\u202e" not in decision.dispatch[0].ask


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 9000,
        "[" * 30_000,
        "{" * 30_000,
        '"' * 30_000,
        "{a:'" * 7000,
        "x" * 2_000_000,
        '{"next":' + "9" * 5000 + "}",
        "<think>" * 4000,
        "\ud800",
        "{\x00}",
        "\\" * 30_000,
    ],
)
def test_absurd_replies_are_faults_and_quick(text: str) -> None:
    assert isinstance(read(text), Fault)


@pytest.mark.parametrize(
    "text",
    [
        '{"status":"done"}',
        '```json\n{"status":"done",}\n```',
        "Report: {'status': 'done'} end",
        '<think>{"status":"failed"}</think>{"status":"done"}',
    ],
)
def test_a_contract_is_read_the_same_way(text: str) -> None:
    assert read_object(text) == {"status": "done"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("no object", Fault.MALFORMED),
        ('{"a":1} {"a":2}', Fault.AMBIGUOUS),
        ("", Fault.EMPTY),
        ('{"a":1,"a":2}', Fault.AMBIGUOUS),
        ("<think>", Fault.UNCLOSED_THINK),
        ('{"a":', Fault.MALFORMED),
    ],
)
def test_a_contract_that_is_none_is_a_fault(text: str, fault: Fault) -> None:
    assert read_object(text) is fault


def test_with_two_names_that_differ_only_in_separators_neither_is_guessed() -> None:
    roster = ("street_lights", "street-lights")
    assert read_decision("street lights", roster).fault is Fault.AMBIGUOUS
    assert read_decision("street-lights", roster).dispatch[0].specialist == "street-lights"


@pytest.mark.parametrize("form", ["!{}", "!= {}", "~{}", "~~{}~~", "[ ] {}", "- [ ] {}", "**!{}**", "Next: ~~{}~~", "next != {}", "( ) {}"])
@pytest.mark.parametrize("name", ["permits", "finish"])
def test_a_negated_spelling_is_no_name(form: str, name: str) -> None:
    assert isinstance(read(form.format(name)), Fault)
    assert isinstance(read(json.dumps({"next": form.format(name)})), Fault)


def test_a_fence_of_tildes_strikes_nothing_out() -> None:
    assert read("~~~\npermits\n~~~") == ["permits"]
