"""Return contracts: the small typed object that a specialist may hand back, and nothing else."""

import re
import unicodedata
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from contracts.handles import Alias
from contracts.text import Capped
from contracts.tokens import estimate

HEADLINE = Capped(tokens=24, bytes=120)
OUTCOME = Capped(tokens=110, bytes=480)
QUESTION = Capped(tokens=40, bytes=200)
CAUSE = Capped(tokens=40, bytes=200)
FACTS = Capped(tokens=160, bytes=480)
"""Cap of all facts together, as JSON."""
MAX_ARTIFACTS = 8
MAX_QUESTIONS = 3
MAX_CRITERIA = 12
"""Most criteria of a case."""

CriterionId = Annotated[str, StringConstraints(pattern=r"^c[1-9][0-9]?$")]

# An outcome of these words alone says nothing, whatever their order: that it is over, or that it stands elsewhere.
_STOCK = frozenset(
    """
    a all and any as at been by can done everything finished for fine further good great has have here i in is it its job me more my n na no none not
    nothing now null of ok okay on our out please ready requested s successfully success successful successfull task tasks tbd that the there thing
    this to up was we well were with work works yes you your case complete completed completely completion closed resolved handled fulfilled
    above according are attached before below described earlier following message messages mentioned noted output outputs previous previously prior
    refer
    report request requests response result results they said see stated artifact artifacts check details handle handles history info information look
    alles arbeit auftrag aufgabe bitte die der das den erledigt fertig ist oben siehe unten wie wurde nachricht bericht abgeschlossen gut
    a arriba anterior completada completado con es esta exito finalizado ha hecho la lista listo mensaje que sido tarea terminado todo trabajo vea ver
    accompli bien ci dessous dessus est fait fini la le message plus rapport suis tache termine tout travail voir haut
    compito completato fatto finito messaggio precedente sopra tutto vedi concluida concluido feito pronto tarefa terminada acima veja
    klaar gedaan zie boven klart valmis gotowe zrobione hotovo tamam bitti xong selesai sudah tapos
    готово сделано выполнено завершено все задача см выше смотри отчет зроблено готова
    تم انتهى انظر اعلاه सम पूर्ण हो गया काम पूरा
    """.split()
)
_STOCK_HAN = re.compile(
    "[任务務工作已经經完成了结結束请請见見上文如前所述述面详情情报報告全部都好的処理終了完了しましたです参照以上작업완료했습니다되었참고위보고서 ]+"
)


class Status(StrEnum):
    """How a specialist's work ended."""

    DONE = "done"
    PARTIAL = "partial"
    BLOCKED = "blocked"
    FAILED = "failed"


class Audience(StrEnum):
    """Who can answer a question."""

    RESIDENT = "resident"
    APPROVER = "approver"


class Closed(BaseModel):
    """Base of everything that crosses the desk: no unknown keys, no changes after validation."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Facts(Closed):
    """Base of a specialist's typed facts: enums, numbers, dates and ids; `check_facts` refuses free prose."""


class Question(Closed):
    """Something only a person can say; the `ask` node puts it to them."""

    text: Annotated[str, QUESTION] = Field(description="One plain question.")
    to: Audience = Field(description="resident, or approver for a side effect that needs a yes.")


class Return(Closed):
    """Base of every return contract. Subclass it with a closed `facts` model of your own."""

    status: Status = Field(description="done, partial, blocked (with a question) or failed.")
    headline: Annotated[str, HEADLINE] = Field(description="One line for the router: what was found.")
    outcome: Annotated[str, OUTCOME] = Field(description="One paragraph for the router, not for the resident.")
    facts: Facts = Field(description="The specialist's own typed facts.")
    artifacts: tuple[Alias, ...] = Field(max_length=MAX_ARTIFACTS, description="Aliases of the artifacts stored for this step.")
    settles: tuple[CriterionId, ...] = Field(max_length=MAX_CRITERIA, description="Criteria that the artifacts give evidence for.")
    questions: tuple[Question, ...] = Field(max_length=MAX_QUESTIONS, description="Open questions, each with whom it is for.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.status is Status.DONE and is_content_free(self.outcome):
            raise PydanticCustomError("content_free", "the outcome says nothing: name what was found, with ids and dates")
        if self.status is Status.BLOCKED and not self.questions:
            raise PydanticCustomError("no_question", "blocked needs a question that says what is missing")
        facts = self.facts.model_dump_json()
        if len(facts.encode()) > FACTS.bytes or estimate(facts) > FACTS.tokens:
            raise PydanticCustomError("facts_too_long", "the facts are longer than their cap: bulk belongs into an artifact")
        return self


def is_content_free(text: str) -> bool:
    """Say whether an outcome carries nothing: blank, no words, or only stock words such as 'Done.' or 'See above'."""
    flat = unicodedata.normalize("NFKD", text.casefold())
    bare = unicodedata.normalize("NFC", "".join(char for char in flat if not unicodedata.combining(char) or char > "\u0900"))
    words = re.findall(r"\w+", bare)
    if len(words) > 2 and all(len(word) == 1 for word in words):
        words = ["".join(words)]
    if sum(map(len, words)) < 6 and not any(word.isdigit() for word in words):
        return True
    return all(word in _STOCK or _STOCK_HAN.fullmatch(unicodedata.normalize("NFC", word)) for word in words)
