"""Small talk in a chat: what is no complaint gets one polite line, in its own language, and opens or closes nothing."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST = 200
"""Characters of a message that may still be small talk."""


@dataclass(frozen=True, slots=True)
class Tongue:
    """How one language is polite: what people write, as patterns without accents, and what is said back."""

    said: dict[str, str]
    back: dict[str, str]
    about: str
    still: str


_KINDS = ("thanks", "hello", "bye", "fine", "no")
_EN = Tongue(
    {
        "thanks": r"thank (?:you|u)|thanks|thx|tysm|ty|cheers|appreciated?|grateful",
        "hello": r"hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|how are you|how'?s it going|who (?:are you|is this)"
        r"|what (?:can|do|are) you(?: do)?|what is this|how does this work|help"
        r"|(?:is )?any(?:body|one) (?:there|here)|are you (?:there|here)|test(?:ing)?|what|why|huh|pardon",
        "bye": r"good ?bye|bye|see (?:you|ya)|take care|good night|have a (?:nice|good|great|lovely) (?:day|one|evening|night|weekend)|cya",
        "fine": r"ok|okay|okey|k|kk|yes|yeah|yep|yup|sure|great|good|perfect|fine|cool|nice|awesome|excellent|wonderful|amazing|got it|all ?right"
        r"|understood|i see|sorry|please|wow|lol|haha|well done|makes sense"
        r"|(?:this|that|it)(?: i|')?s (?:all|fine|good|great|perfect|ok|okay)|welcome|no (?:problem|worries)",
        "no": r"no|nope|nah|never ?mind|forget it",
    },
    {"thanks": "You are welcome.", "hello": "Hello.", "bye": "Goodbye.", "fine": "All right.", "no": "All right."},
    "This desk looks into {matters}: write what is wrong, and where.",
    "One question is still open: {question}",
)
_TONGUES = (
    _EN,
    Tongue(
        {
            "thanks": r"gracias|agradecid[oa]|agradezco",
            "hello": r"hola|buen(?:os|as)? (?:dias?|tardes|noches)|ayuda",
            "bye": r"adios|hasta (?:luego|pronto|manana)|chao",
            "fine": r"si|vale|bueno|bien|perfecto|de acuerdo|entendido|claro|excelente",
            "no": r"no",
        },
        {"thanks": "De nada.", "hello": "Hola.", "bye": "Adiós.", "fine": "Muy bien.", "no": "Muy bien."},
        "Este servicio se ocupa de {matters}: escriba qué pasa y dónde.",
        "Queda una pregunta: {question}",
    ),
    Tongue(
        {
            "thanks": r"obrigad[oa]|valeu",
            "hello": r"ola|oi|bom dia|boa (?:tarde|noite)",
            "bye": r"tchau|ate logo",
            "fine": r"sim|certo|otimo",
            "no": r"nao",
        },
        {"thanks": "De nada.", "hello": "Olá.", "bye": "Até logo.", "fine": "Certo.", "no": "Certo."},
        "Este serviço cuida de {matters}: escreva o que há e onde.",
        "Falta uma resposta: {question}",
    ),
    Tongue(
        {
            "thanks": r"merci",
            "hello": r"bonjour|salut|bonsoir",
            "bye": r"au revoir|bonne (?:journee|soiree)",
            "fine": r"oui|d'accord|parfait",
            "no": r"non",
        },
        {"thanks": "Je vous en prie.", "hello": "Bonjour.", "bye": "Au revoir.", "fine": "Très bien.", "no": "Très bien."},
        "Ce service s'occupe de {matters} : écrivez ce qui ne va pas, et où.",
        "Il reste une question : {question}",
    ),
    Tongue(
        {"thanks": r"mesi", "hello": r"bonjou|bonswa|alo", "bye": r"orevwa|babay", "fine": r"wi|dako", "no": r"non"},
        {"thanks": "Padekwa.", "hello": "Bonjou.", "bye": "Orevwa.", "fine": "Dakò.", "no": "Dakò."},
        "Sèvis sa a okipe {matters}: ekri sa ki pa mache ak ki kote.",
        "Gen yon kesyon ki rete: {question}",
    ),
    Tongue(
        {"thanks": r"cam on", "hello": r"xin chao|chao (?:ban|anh|chi|em)", "bye": r"tam biet", "fine": r"vang|da|duoc", "no": r"khong"},
        {"thanks": "Không có gì.", "hello": "Xin chào.", "bye": "Tạm biệt.", "fine": "Vâng.", "no": "Vâng."},
        "Nơi đây lo về {matters}: xin viết chuyện gì và ở đâu.",
        "Còn một câu hỏi: {question}",
    ),
    Tongue(
        {
            "thanks": r"谢谢|多谢|感谢|謝謝|多謝|感謝",
            "hello": r"你好|您好|早上好",
            "bye": r"再见|再見",
            "fine": r"好的|好吧|好|明白|可以|是的",
            "no": r"不用|没有",
        },
        {"thanks": "不客气。", "hello": "您好。", "bye": "再见。", "fine": "好的。", "no": "好的。"},
        "本服务台处理 {matters}：请写出问题和地点。",
        "还有一个问题：{question}",
    ),
)
_FILLERS = frozenset(
    """
    a about all an and anh answer at ban chi de dear desk em everyone everything for friend guys help here i in info information it its just lot
    lots madam many me much my now of one quick really sir so such team that thats the them then there this time to too very was we well what you
    your yours again day evening u x xx xo
    amable anpil aide ajuda ayuda beaucoup bien bom buen con dia ed esta la las le les mil muchas muchisimas mucho muito nhieu o os para pela
    pelo por pou pour que rat su sus tenga todo todos tout toute tu tudo um un una votre vous y e et senor senora 你 您 们 你们 了 啊 大家
    """.split()
)
_NUDGES = _FILLERS | frozenset(
    """
    any anything something nothing new news update updates updated word status progress result results message messages msg text request complaint
    question reply response answer answered still yet so or then well finally back alive online stuck lost hung
    did do does have has get got getting receive received see seen read hear heard know tell let lets come came check checked checking
    try trying retry redo repeat resend continue go going keep proceed carry resume wait waiting waited work worked working process run finish
    finished done ready happen happened happening take taking long how when where who why what which up will would could can should be is are was
    were am please me us on with going s re ve ll d t didn haven hasn aren isn
    hay noticia noticias novedad novedades alguna algun algo nuevo nuevamente sigue siguen sigues siga sigan ahi estan estas ya cuando recibio
    recibieron recibiste mensaje intente intenta intentelo otra vez continue continua continuar adelante favor que paso pasa entonces
    alguma novidade novidades ainda tente tentar novamente novo recebeu mensagem ai des nouvelle nouvelles nouveau encore toujours reessayez
    essayez continuez alors recu message s'il plait nouvel toujou eseye anko kontinye co tin gi moi chua thu lai tiep tuc
    有消息吗 还在吗 怎么样了 请重试 再试一次 继续
    """.split()
)
"""Words that ask for news of what was said before, or to go on with it; none of them names a matter or a place."""
_ASKS_FOR_MORE = re.compile(r"\b(?:which|what|where|when|who|whose|how)\b", re.I)


@dataclass(frozen=True, slots=True)
class Talk:
    """One message that is small talk."""

    kinds: frozenset[str]
    kind: str
    tongue: Tongue

    def answers(self, waiting: Iterable[Any]) -> bool:
        """Say whether it answers what is open all the same: a no always does, a yes where the question is no open-ended one."""
        return "no" in self.kinds or ("fine" in self.kinds and not all(_ASKS_FOR_MORE.search(item["text"]) for item in waiting))

    def reply(self, matters: Sequence[str], waiting: Sequence[Any], *, first: bool) -> str:
        """Return the polite line; whoever says hello or is new here is told what the desk does, and what is open stays so."""
        parts = [self.tongue.back[self.kind]]
        if waiting:
            parts.append(self.tongue.still.format(question=waiting[0]["text"]))
        elif first or self.kind == "hello":
            parts.append(self.tongue.about.format(matters=", ".join(name.replace("_", " ").replace("-", " ") for name in matters)))
        return " ".join(parts)


def small_talk(text: str) -> Talk | None:
    """Return what kind of small talk a message is, or None where any word of it says more than that."""
    if len(text) > LONGEST:
        return None
    found, words = _read(text)
    plain = _plain(text)
    asks = "?" in plain and plain.strip(" ?!.") and not {"hello", "thanks"} & set(found)
    if asks or not all(word in _FILLERS for word in words) or (words and not found):
        return None
    found = found or {"hello" if "?" in plain else "fine": _EN}
    return Talk(frozenset(found), *next((kind, found[kind]) for kind in _KINDS if kind in found))


def is_nudge(text: str) -> bool:
    """Say whether a message says nothing of its own but waits for what was said before: "hello?", "any news?", "please try again"."""
    if talk := small_talk(text):
        return not {"no", "bye"} & talk.kinds
    return len(text) <= LONGEST and all(word in _NUDGES for word in _read(text)[1])


def _read(text: str) -> tuple[dict[str, Tongue], list[str]]:
    """Return the kinds of small talk that a text holds, each with its language, and all other words."""
    rest = plain = _plain(text)
    found: dict[str, Tongue] = {}
    for kind in _KINDS:
        for tongue in _TONGUES:
            pattern = re.compile(rf"(?<![^\W_])(?:{tongue.said[kind]})(?![^\W_])" if tongue.said[kind].isascii() else tongue.said[kind])
            if pattern.search(plain):
                found.setdefault(kind, tongue)
                rest = pattern.sub(" ", rest)
    return found, re.findall(r"[^\W_]+", rest)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(char for char in folded if not unicodedata.combining(char))
