"""Small talk is told from complaints by every word of it, and answered in its own language."""

import pytest

from graph.courtesy import is_nudge, small_talk

TALK = """
    thank you!|thanks|what?|huh?|ok|OK thanks|bye|hello|Hello!|hi there|gracias|muchas gracias por su ayuda|great|👍|🙏🙏
    merci beaucoup|obrigado|cảm ơn bạn|谢谢你|你好|mesi anpil|Thank you so much for your help!|good morning|Good night
    who are you?|what can you do?|help|how are you|are you there?|?|...|ok gracias|no|no thanks|never mind
    Perfect, thank you very much. Have a nice day!|got it|lol|thx!!|That's all, thanks|Hola, buenos días|au revoir
    wow, that was quick|tchau|再见|好的 谢谢|yes|ok ok|thanks again|cool 😎|Okay, bye|hey|I appreciate it|d'accord merci
    Test|this is great
"""
WORK = """
    no heat|hi, no heat|thanks for nothing, the rats are back|ok but the trash is still there|Help! fire|hello there is a pothole
    no water at all|gas!|rats|good morning, my heat is off|no hot water|yes the sidewalk too|31 Lantern St|48|help with mold
    is it fixed?|and there?|what about the sidewalk?|any news?|Hola, no hay calefacción|merci de réparer le trottoir
    thank you, and the sidewalk there?|the heat is not good|when will it be done?|Roxbury|the second one|number 12
    你好，没有暖气|no gracias a las ratas|is the permit ok?|is it ok?|what do you know about 31 Lantern St|ok, apartment 3
    it is not done|please fix it
"""


def each(lines: str) -> list[str]:
    return [text.strip() for line in lines.strip().splitlines() for text in line.split("|")]


@pytest.mark.parametrize("text", each(TALK))
def test_small_talk_is_known(text: str) -> None:
    assert small_talk(text) is not None


@pytest.mark.parametrize("text", [*each(WORK), "ok " * 100])
def test_whatever_says_more_is_none(text: str) -> None:
    assert small_talk(text) is None


@pytest.mark.parametrize(
    ("text", "reply"),
    [("Thank you!", "You are welcome."), ("ok gracias", "De nada."), ("bye", "Goodbye."), ("谢谢", "不客气。"), ("👍", "All right.")],
)
def test_one_line_in_its_own_language(text: str, reply: str) -> None:
    talk = small_talk(text)
    assert talk is not None and talk.reply(["permits"], [], first=False) == reply


@pytest.mark.parametrize("text", ["hello", "Hola", "bonjour", "what can you do?", "?"])
def test_a_hello_says_what_the_desk_does(text: str) -> None:
    talk = small_talk(text)
    assert talk is not None and "street lights, permits" in talk.reply(["street_lights", "permits"], [], first=False)


def test_what_answers_an_open_question() -> None:
    yes_or_no, open_ended = [{"text": "Shall it be filed?"}], [{"text": "Which address is it about?"}]
    for text, answers in (
        ("ok", (True, False)),
        ("no", (True, True)),
        ("no thanks", (True, True)),
        ("thanks", (False, False)),
        ("hi", (False, False)),
    ):
        talk = small_talk(text)
        assert talk is not None and (talk.answers(yes_or_no), talk.answers(open_ended)) == answers, text


NUDGE = """
    ok|hello?|Any news?|please try again|did you get my message?|are you there?|Still there?|and?|so?|what happened?|continue|go on please|thanks
    is it done yet?|Hello, any updates on this?|why is it taking so long|no answer?|Have you received my request?|can you retry?
    are you working on it?|¿hay noticias?|inténtelo otra vez por favor|des nouvelles ?|alguma novidade?|还在吗？|?
"""
MATTER = """
    no heat|and the sidewalk there?|also rats|31 Lantern St|number 12|no|never mind|bye|it is still not working|any news of the permit?
    please try the door of 12 Elm St|no hay agua|ratas otra vez|there is a fire going on|no gas still
"""


@pytest.mark.parametrize("text", each(NUDGE))
def test_a_nudge_says_nothing_of_its_own(text: str) -> None:
    assert is_nudge(text)


@pytest.mark.parametrize("text", [*each(MATTER), "ok " * 100])
def test_what_names_a_matter_or_takes_leave_is_no_nudge(text: str) -> None:
    assert not is_nudge(text)
