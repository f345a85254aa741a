"""A planted fault for each alarm fires it and nothing else; healthy runs fire none."""

from collections.abc import Callable
from typing import Any

import pytest

from ledger.alarms import alarms
from ledger.figures import figures
from ledger.second_person import speaks_to_resident
from tests.ledger.metered import Metered, healthy
from tests.ledger.play import JSON


def codes(case: Metered, **more: Any) -> list[str]:
    return [alarm.code for alarm in alarms(figures(case.ledger, case.artifacts, case.archives, **more))]


def only(case: Metered, **more: Any):
    found = alarms(figures(case.ledger, case.artifacts, case.archives, **more))
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize("hops", [1, 3, 7, 15, 30, 50, 120])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_healthy_run_fires_none(hops: int, seed: int) -> None:
    case = healthy(hops, seed=seed)
    assert codes(case, labels={row.n: row.moves for row in figures(case.ledger, case.artifacts, case.archives).decisions}) == []


def test_tokens_that_rise_while_difficulty_is_flat() -> None:
    case = healthy(20, meter=lambda event: {"tokens_in": 400 + 350 * event["n"], "tokens_source": "estimated"})
    alarm = only(case)
    assert alarm.code == "rising_tokens"
    assert "350 per decision" in alarm.message


def test_tokens_that_rise_by_more_than_a_ledger_line_each_from_a_high_start() -> None:
    case = healthy(12, meter=lambda event: {"tokens_in": 3000 + 150 * event["n"], "tokens_source": "estimated"})
    assert codes(case) == ["rising_tokens"]


def test_slow_growth_that_compaction_does_not_hold() -> None:
    case = Metered("rats", "heat", budget=100_000, max_hops=1000)
    for index in range(120):
        case.hop(index)
    assert codes(case) == ["rising_tokens"]


def test_tokens_that_rise_with_difficulty_are_no_alarm() -> None:
    case = healthy(20, meter=lambda event: {"tokens_in": 400 + 350 * event["n"], "difficulty": 3 + event["n"], "tokens_source": "estimated"})
    assert codes(case) == []


def test_a_retry_is_not_growth() -> None:
    case = healthy(20, meter=lambda event: {"attempts": 3, "tokens_in": 3 * event["prompt_tokens"]} if event["n"] > 15 else {})
    assert codes(case) == []


@pytest.mark.parametrize("budget", [650, 700, 750, 800])
def test_compaction_too_often_names_the_loosest_contract(budget: int) -> None:
    case = Metered("rats", "heat", budget=budget, max_hops=1000, meter=lambda event: {"prompt_tokens": 600})
    for index in range(40):
        entries = " ".join(f"entry {index}{part}" for part in range(20 if index % 4 == 1 else 2))
        case.hop(index, outcome=f"The file names {entries}", headline=" ".join(f"word {index}{part}" for part in range(6)))
    alarm = only(case)
    assert (alarm.code, alarm.specialist) == ("compaction_often", "permits")
    assert f"{len(case.archives)} compactions" in alarm.message
    permits = next(fill for fill in figures(case.ledger, case.artifacts, case.archives).contracts if fill.specialist == "permits")
    assert f"{permits.mean:.0f} of {permits.cap} tokens per return on average, most {permits.most}, over 10 returns" in alarm.message


def test_repeats_without_anything_new() -> None:
    case = healthy(12)
    again = Metered("rats", "heat")
    ask = ("housing", "c2: heat at 5 Elm St")
    again.work(ask)
    again.dispatch(ask)
    alarm = only(again)
    assert (alarm.code, alarm.decisions) == ("repeats", (2,))
    assert codes(case) == []


def test_a_retry_of_what_failed_is_no_alarm() -> None:
    case = Metered("rats", "heat")
    case.dispatch(("housing", "c2: heat"))
    case.fail(1)
    case.work(("housing", "c2: heat"))
    assert codes(case) == []


def test_accuracy_that_falls() -> None:
    case = healthy(20)
    right = {row.n: set(row.moves) for row in figures(case.ledger, case.artifacts, case.archives).decisions}
    assert codes(case, labels=right | {n: {"nobody"} for n in range(12, 19)}) == ["late_accuracy"]
    assert codes(case, labels=right | {n: {"nobody"} for n in range(2, 9)}) == []
    assert codes(case, labels={1: right[1], 2: {"nobody"}}) == []


@pytest.mark.parametrize(
    "meter",
    [
        lambda event: {"prompt_tokens": 1460, "tokens_in": 1460},
        lambda event: {"tokens_in": 1600} if event["n"] == 9 else {},
    ],
    ids=["stays near", "endpoint counts more"],
)
def test_a_prompt_near_its_bound(meter: Callable[[JSON], JSON]) -> None:
    assert codes(healthy(14, meter=meter)) == ["near_bound"]


def test_a_router_that_answers_by_itself() -> None:
    case = healthy(12, meter=lambda event: {"verdicts": ["answered_itself", "ok"]} if event["n"] == 4 else {})
    alarm = only(case)
    assert (alarm.code, alarm.decisions) == ("answered_itself", (4,))


TO_RESIDENT = [
    "You should call 311 about the pothole again.",
    "Dear resident, the pothole was repaired on May 3.",
    "Please call us at 617-635-4500 for the permit.",
    "Su solicitud fue recibida; le informamos que está cerrada.",
    "Veuillez contacter le service de la propreté.",
    "Votre plainte a été enregistrée.",
    "Sehr geehrte Frau Keane, der Antrag ist erledigt.",
    "Wir melden uns bei Ihnen bis Freitag.",
    "Você pode acompanhar o pedido no site.",
    "La preghiamo di contattare l'ufficio.",
    "Prosimy o kontakt z urzędem.",
    "Quý vị vui lòng gọi 311.",
    "Tanpri rele 311 pou plis enfòmasyon.",
    "Уважаемый житель, ваша жалоба закрыта.",
    "您的投诉已经关闭。",
    "お客様のご依頼は完了しました。",
    "귀하의 요청이 처리되었습니다.",
    "يرجى الاتصال بالبلدية.",
    "आपकी शिकायत बंद कर दी गई है।",
]
TO_ROUTER = [
    "Permit 101000001 for 5 Elm St was issued on 2024-05-01 and is open.",
    "Resident says 'you never came' on May 3; crew log shows no visit.",
    "Young Street has 3 open cases; the youth centre is closed.",
    "El permiso 123 del propietario está vigente; dos casos abiertos.",
    "Le permis du propriétaire est valide jusqu'en mai.",
    "Die Akte nennt zwei Mängel. Sie wurden am 3. Mai behoben.",
    "Il permesso del proprietario è valido.",
    "该地址有三个未结案件。",
    "住所に未処理の案件が三件あります。",
    "Rats seen at 12 Dear Park Road; order to owner M. Keane.",
    "У дома открыты три заявки.",
]


@pytest.mark.parametrize("text", TO_RESIDENT)
def test_outcomes_that_speak_to_the_resident(text: str) -> None:
    case = Metered("rats", "heat", max_hops=100)
    for index in range(8):
        case.hop(index, **({"outcome": text} if index == 5 else {}))
    alarm = only(case)
    assert (alarm.code, alarm.specialist, alarm.steps) == ("addressed_resident", "permits", (6,))


@pytest.mark.parametrize("text", TO_ROUTER)
def test_outcomes_that_speak_to_the_router(text: str) -> None:
    assert not speaks_to_resident(text)


def test_alarms_are_plain_data() -> None:
    alarm = only(healthy(12, meter=lambda event: {"verdicts": ["answered_itself", "ok"]} if event["n"] == 4 else {})).as_json()
    assert set(alarm) == {"code", "message", "decisions", "steps", "specialist"}
    assert alarm["decisions"] == [4]
