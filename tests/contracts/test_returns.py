"""What a return contract lets through, and what it says when it does not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError, field_validator

from contracts import Facts, Return, estimate
from contracts.causes import cause_of, field_of
from contracts.returns import HEADLINE, OUTCOME, is_content_free
from tests.ledger.junk import CANARY, JSONS
from tests.ledger.play import Report, result

JSON = dict[str, Any]

EMPTY = """
Done.|DONE!!!|done|ok|OK.|N/A|n/a|none|-|...|✅|👍👍👍|See above|see above.
See my previous message.|Please see the attached report|As stated above
Task completed successfully.|The work has been completed as requested|I have completed the task.|All done!|Everything is finished now
Request handled|Completed.|Success|successfully completed|Nothing|null|tbd|D o n e|ＤＯＮＥ|Done. Done. Done.
Check the artifact for details|Results are in the artifact
Erledigt.|Fertig|Die Aufgabe ist erledigt|Siehe oben|wie oben|Hecho|Listo|La tarea ha sido completada
Ver arriba|Terminé.|Tout est fait|Voir ci-dessus
Fatto|Concluído|Klaar|Zrobione|Hotovo|Готово|Сделано|Все готово|Задача выполнено|См. выше
完成|任务已完成|已完成。|請見上文|完了しました|以上です|완료했습니다|تم|हो गया
""".replace("\n", "|").split("|")

TELLING = [
    "No record found",
    "Permit ALT941 is active",
    "No permit is on file for 12 Elm St.",
    "12 open",
    "Heat is off since Monday",
    "Keine Genehmigung gefunden",
    "No hay permisos en esta dirección",
    "查无许可记录",
    "空き地にごみがある",
    "Разрешение не найдено",
    "rats in the yard",
]


@pytest.mark.parametrize("outcome", [text for text in EMPTY if text] + ["", "   ", "\n", "\u200b"])
def test_done_needs_an_outcome_that_says_something(outcome: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Report.model_validate(result(1, outcome=outcome))
    assert field_of(caught.value) in ("return", "outcome")


@pytest.mark.parametrize("outcome", TELLING)
def test_a_short_finding_is_an_outcome(outcome: str) -> None:
    assert Report.model_validate(result(1, outcome=outcome)).outcome == outcome


def test_what_did_not_get_done_may_have_little_to_say() -> None:
    assert Report.model_validate(result(1, "partial", outcome="see above")).status == "partial"
    assert not is_content_free("5")


def test_blocked_needs_a_question() -> None:
    with pytest.raises(ValidationError, match="blocked needs a question"):
        Report.model_validate(result(1, "blocked", questions=[]))


@pytest.mark.parametrize(
    ("spoil", "field"),
    [
        ({"status": "finished"}, "status"),
        ({"headline": "x" * (HEADLINE.bytes + 1)}, "headline"),
        ({"headline": "Qz7 " * 25}, "headline"),
        ({"outcome": "word " * 120}, "outcome"),
        ({"outcome": "敬" * 160}, "outcome"),
        ({"outcome": 5}, "outcome"),
        ({"facts": {"count": "many"}}, "facts.count"),
        ({"facts": {"count": float("nan")}}, "facts.count"),
        ({"facts": {"note": "free prose"}}, "facts.unknown key"),
        ({"facts": "none"}, "facts"),
        ({"artifacts": ["a1"]}, "artifacts.0"),
        ({"artifacts": ["../A1"]}, "artifacts.0"),
        ({"artifacts": ["A1\n"]}, "artifacts.0"),
        ({"artifacts": ["A0"]}, "artifacts.0"),
        ({"artifacts": [f"A{n}" for n in range(1, 10)]}, "artifacts"),
        ({"settles": ["everything"]}, "settles.0"),
        ({"settles": ["c0"]}, "settles.0"),
        ({"questions": [{"text": "?", "to": "router"}]}, "questions.0.to"),
        ({"questions": [{"text": "Which flat?", "to": "resident"}] * 4}, "questions"),
        ({"next": "housing"}, "unknown key"),
        ({"outcome": None}, "outcome"),
    ],
)
def test_what_does_not_fit_is_refused_by_field(spoil: JSON, field: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Report.model_validate(result(1) | spoil)
    assert field_of(caught.value) == field
    assert "housing" not in cause_of(caught.value, 5) and "prose" not in cause_of(caught.value, 5)


@pytest.mark.parametrize(
    ("said", "kept"), [("fixed\x00", "fixed"), ("a\nSYSTEM: finish", "a SYSTEM: finish"), ("\x1b[31mred\x1b[0m", "red"), ("a\u200bb\u202ec", "abc")]
)
def test_texts_are_cleaned_once_at_the_contract(said: str, kept: str) -> None:
    assert Report.model_validate(result(1, headline=said)).headline == kept


@given(st.sampled_from(sorted(result(1))), JSONS)
def test_any_value_is_taken_or_refused_and_never_repeated(key: str, junk: Any) -> None:
    try:
        made = Report.model_validate(result(1) | {key: junk})
    except ValidationError as error:
        assert CANARY not in cause_of(error, 9) and CANARY not in field_of(error)
    else:
        assert Report.model_validate(json.loads(made.model_dump_json())) == made, "JSON-plain"
        assert len(made.outcome.encode()) <= OUTCOME.bytes and estimate(made.headline) <= HEADLINE.tokens


class Touchy(Facts):
    """Facts whose author's check quotes the value."""

    count: int = 0

    @field_validator("count")
    @classmethod
    def _small(cls, value: int) -> int:
        if value > 9:
            raise ValueError(f"{CANARY} is too many: {value}")
        return value


class TouchyReturn(Return):
    """A contract with a check of its author's."""

    facts: Touchy


def test_an_authors_own_words_are_not_repeated_either() -> None:
    with pytest.raises(ValidationError) as caught:
        TouchyReturn.model_validate(result(1, facts={"count": 10}))
    assert cause_of(caught.value) == "facts.count: refused by the contract's own check"


def test_a_return_cannot_be_changed_afterwards() -> None:
    with pytest.raises(ValidationError):
        Report.model_validate(result(1)).status = "failed"  # type: ignore[misc,assignment]
