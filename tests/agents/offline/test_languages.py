"""English and Spanish are read; another language is named as the reason, never taken for a matter that nobody handles."""

import pytest

from agents.offline.languages import UNCOVERED, UNREAD, is_read
from agents.offline.matching import match
from agents.offline.proposing import propose
from agents.offline.routing import OfflineRouter
from tests.agents.casework import FOUR, Casework
from tests.shipped import SPECIALISTS

FOREIGN = (
    "Es hat Ratten im Hof, 31 Lantern St",
    "Wir haben seit drei Tagen keine Heizung in der Wohnung",
    "Il y a un grand trou dans la rue",
    "Le propriétaire ne répare rien et il fait froid",
    "Não temos aquecimento desde segunda",
    "Meu vizinho está construindo sem licença",
    "Ci sono topi nel cortile",
    "Wij hebben al drie dagen geen verwarming",
    "W mieszkaniu nie ma ogrzewania",
    "Gen yon pwoblèm nan kay la",
    "Căn hộ của tôi không có sưởi",
    "May mga daga sa bakuran namin",
    "我的公寓没有暖气",
    "院子里有老鼠 31 Lantern St",
    "В квартире нет отопления",
    "لا توجد تدفئة في شقتي",
    "아파트에 난방이 안 돼요",
)
READ = (
    "My passport expired",
    "Zoo animals outside",
    "How do I register to vote at my new address?",
    "El semáforo no funciona en la esquina",
    "Hay mucho ruido en la casa de al lado",
    "Roban paquetes",
    "¿Cuándo abren la piscina?",
    "!!! 12345",
    "",
)


@pytest.mark.parametrize("text", FOREIGN)
def test_what_is_not_read_says_so(text):
    assert not is_read(text)
    case = Casework(
        text, [(item.text, item.owners) for item in propose(text, SPECIALISTS)], desk=SPECIALISTS, router=OfflineRouter(specialists=SPECIALISTS)
    )
    decision = case.decide()
    assert (decision.action, decision.reason, decision.out_of_scope) == ("finish", UNREAD, ("c1",)) and case.verdicts[-1].ok


@pytest.mark.parametrize("text", READ)
def test_what_is_read_and_for_nobody_says_that(text):
    assert is_read(text) and match(text, SPECIALISTS) == ()


def test_both_reasons_are_given_where_both_hold():
    case = Casework("two things", [("loud music upstairs", ()), ("Ci sono topi nel cortile", ())], desk=FOUR)
    assert case.decide().reason == f"{UNCOVERED}; {UNREAD}"


def test_words_that_are_known_in_another_language_still_route():
    assert [item.name for item in match("Pa gen chofaj nan kay la", SPECIALISTS)] == ["housing"]


def test_small_spanish_words_route_nobody():
    assert match("Hay un coche abandonado en mi calle", SPECIALISTS) == ()
