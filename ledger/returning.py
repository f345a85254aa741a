"""What a specialist handed back, judged by its contract: the third and last time it is enforced."""

from typing import Any

from pydantic import ValidationError

from contracts.causes import cause_of
from contracts.registry import Registry
from contracts.returns import CAUSE, Return
from ledger import apply
from ledger.criteria import alias_order
from ledger.events import Returned
from ledger.misfit import Misfit
from ledger.seal import hash_of

JSON = dict[str, Any]


def judged(step: JSON, event: Returned, registry: Registry) -> tuple[JSON, list[JSON]]:
    """Return the step after its contract judged what came back, and the questions it opens."""
    spent = event.spent.model_dump(mode="json")
    if event.result is None:
        cause = event.cause or "returned nothing"
        return {**step, "status": "failed", "cause": cause, "spent": spent, "hash": hash_of(["failed", cause])}, []
    contract = registry.get(event.specialist)
    try:
        if contract is None:
            raise Misfit("specialist", "is not registered any more", event.specialist)
        result = contract.returns.model_validate(event.result)
        _check_artifacts(step, result, event.specialist)
        body = result.model_dump(mode="json")
        mark = hash_of([body, event.cause])
    except ValidationError as error:
        return _rejected(step, cause_of(error), event, spent), []
    except Misfit as misfit:
        return _rejected(step, str(misfit), event, spent), []
    # A contract is its author's code, and a check in it may raise whatever it likes.
    except Exception as error:
        return _rejected(step, f"return: the contract's own check raised {type(error).__name__}", event, spent), []
    questions = [apply.fresh_question(step, index, item) for index, item in enumerate(body.pop("questions"), 1)]
    settles = [name for name in body["settles"] if name in step["criteria"]]
    done = {**step, **body, "settles": settles, "questions": [item["id"] for item in questions], "cause": event.cause, "spent": spent, "hash": mark}
    seals = {alias: seal for alias, seal in event.seals if alias in result.artifacts}
    return done | ({"seals": seals} if seals else {}), questions


def _check_artifacts(step: JSON, result: Return, specialist: str) -> None:
    if len(set(result.artifacts)) != len(result.artifacts):
        raise Misfit("artifacts", "names an artifact twice", specialist)
    for alias in result.artifacts:
        mine = alias[0] == "A" and alias_order(alias)[0] == step["n"]
        if not mine and alias not in step["handed"]:
            raise Misfit("artifacts", "is neither an artifact of this step nor one that was handed to it", specialist)


def _rejected(step: JSON, cause: str, event: Returned, spent: JSON) -> JSON:
    try:
        mark = hash_of([event.result, event.cause])
    except TypeError:
        mark = hash_of(["rejected", cause])
    return {**step, "status": "rejected", "cause": CAUSE.cut(cause), "spent": spent, "hash": mark}
