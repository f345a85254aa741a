"""The one side effect of the worked example: filing a 311 request, where the resident asks for it and an approver said yes to exactly that."""

import asyncio
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agents.city.open311 import Open311, Open311Settings, Receipt, Service
from agents.model.settings import loaded
from agents.offline.matching import match
from agents.specialist import Task
from contracts import Question, Return, Status, one_line
from contracts.returns import QUESTION, Audience

KIND = "request_receipt"
UNFIT = "service and address are too long, the sentence does not fit whole into the approver's question"
_WANTED = re.compile(
    r"\b(?:file|submit|open|log|create|make|lodge)\b[^.?!]{0,40}\b(?:requests?|reports?|cases?|tickets?|complaints?|work orders?)\b", re.I
)
_YES = frozenset("yes|y|ok|okay|approve|approved|accept|accepted|go ahead|do it|yes please|sí|si|oui|ja".split("|"))


def is_yes(text: str) -> bool:
    """Say whether an approver's words are a plain yes; anything else is a no."""
    return text.strip(" .!").casefold() in _YES


async def with_filing(task: Task, result: Return, place: str) -> Return:
    """Return a finished look-up as it is, or blocked for an approval, or with the request filed; a no is noted and nothing happens."""
    wanted = task.approvals and place and result.status is Status.DONE and _WANTED.search(f"{task.ask} {task.goal}")
    city = await _city() if wanted else None
    if city is None:
        return result
    service = await _service(city, " ".join(text for _, text in task.criteria) or task.ask)
    if service is None:
        return _noted(task, result, "Not filed: no service of the city's 311 fits")
    if not (question := _question(service, place)):
        return _noted(task, result, f"Not filed: {UNFIT}")
    said = dict(task.approved).get(question)
    if said is None:
        asked = Question(text=question, to=Audience.APPROVER)
        return task.returned(
            "blocked", f"needs a yes: {service.title}", f"To file needs a yes. {result.outcome}", result.facts, result.artifacts, [asked]
        )
    if not is_yes(said):
        return _noted(task, result, "Not filed: the answer was no")
    receipt, alias = await _filed(task, city, service, place)
    told = f"Filed as 311 request {receipt.id}" if receipt.id else f"Filed; its number follows under token {receipt.token}"
    return _noted(task, result, told, alias)


def filing_tool(task: Task) -> list[Callable[..., Any]]:
    """Return filing as a tool for a model, where approvals are on; code, not the model, holds it to the approver's yes."""

    async def file_request(address: str, matter: str) -> str:
        """File a 311 request about a matter at an address, when the resident asks for that; it needs an approver's yes first."""
        city = await _city()
        service = await _service(city, matter) if city else None
        if city is None or service is None:
            return "Nothing can be filed: no service of the city's 311 fits."
        if not (question := _question(service, address)):
            return f"Not filed: {UNFIT}. Give the address alone."
        said = dict(task.approved).get(question)
        if said is None:
            return f"Not filed yet. Hand back blocked with this question to the approver, word for word: {question}"
        if not is_yes(said):
            return "Not filed: the approver said no. Go on without."
        receipt, alias = await _filed(task, city, service, address)
        return f"Filed as 311 request {receipt.id or receipt.token}, receipt {alias}."

    return [file_request] if task.approvals else []


async def _city() -> Open311 | None:
    settings = await asyncio.to_thread(loaded, Open311Settings)
    return Open311(settings) if settings.url else None


async def _service(city: Open311, matter: str) -> Service | None:
    services = await city.services()
    found = match(matter, services, out_of_scope=())
    fit = next((item for item in services if found and item.name == found[0].name), None)
    if fit and sum(item.title == fit.title for item in services) > 1:
        return replace(fit, title=f"{fit.title} ({fit.name})")
    return fit


def _question(service: Service, place: str) -> str:
    """Return the sentence that holds all that would be filed, or '' where an approver would not see it whole."""
    whole = f"File a 311 request '{service.title}' for {one_line(place)}?"
    return whole if QUESTION.cut(whole) == whole else ""


async def _filed(task: Task, city: Open311, service: Service, place: str) -> tuple[Receipt, str]:
    """File what the approver saw, once for this case, specialist, service and place, whatever is tried again; store the receipt under this step."""
    place = one_line(place)
    key = hashlib.sha256(f"{task.case} {task.specialist.name} {service.name} {place.casefold()}".encode()).hexdigest()[:12]
    receipt = await city.file(service.name, place, f"{service.title}: {place}", key)
    lines = [f"- request {receipt.id or receipt.token}: {service.title}, {place}, filed {task.today.isoformat()}, ref {key}", receipt.notice]
    handle = await task.put("\n".join(filter(None, lines)), kind=KIND, description=f"311 request {receipt.id or receipt.token}, ref {key}")
    return receipt, handle.alias


def _noted(task: Task, result: Return, told: str, alias: str = "") -> Return:
    artifacts = [*([alias] if alias else []), *result.artifacts]
    return task.returned(result.status, f"{told}; {result.headline}", f"{told}. {result.outcome}", result.facts, artifacts)
