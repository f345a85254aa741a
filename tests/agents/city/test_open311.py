"""Filing with a GeoReport v2 server: the form, the key kept quiet, once for one key, and errors that say what to do."""

import pytest
from pydantic import SecretStr

from agents.city.filing import is_yes
from agents.city.open311 import Open311, Open311Error, Open311Settings
from tests.agents.city.georeport import GeoReport


def client(city: GeoReport, key: str = "secret-key", timeout: float = 1.0) -> Open311:
    return Open311(Open311Settings.model_construct(url=f"{city.url}/", api_key=SecretStr(key), jurisdiction=None, timeout=timeout))


async def test_a_request_is_filed_once_for_one_key() -> None:
    with GeoReport() as city:
        first = await client(city).file("S1", "31 Lantern St", "a pothole", "k1")
        again = await client(city).file("S1", "31 Lantern St", "a pothole, asked anew", "k1")
        other = await client(city).file("S1", "31 Lantern St", "a pothole", "k2")
    assert (first.id, again.id, other.id) == ("638344", "638344", "638345") and first.notice == "The city will look at it."
    assert [item["description"] for item in city.requests] == ["a pothole (ref k1)", "a pothole (ref k2)"]


async def test_services_that_need_attributes_are_not_offered() -> None:
    with GeoReport() as city:
        assert [item.name for item in await client(city).services()] == ["S1", "S2"]


async def test_a_token_is_exchanged_for_the_number() -> None:
    with GeoReport(tokens=True) as city:
        receipt = await client(city).file("S1", "31 Lantern St", "a pothole", "k1")
    assert (receipt.id, receipt.token) == ("638344", "t1") and "GET /tokens/t1.json" in city.calls


async def test_a_long_description_is_cut_and_keeps_its_reference() -> None:
    with GeoReport() as city:
        await client(city).file("S1", "31 Lantern St", "x" * 9000, "k1")
    assert len(city.requests[0]["description"]) <= 4000 and city.requests[0]["description"].endswith("(ref k1)")


async def test_a_silent_server_is_not_asked_twice() -> None:
    with GeoReport() as city:
        city.fault = "silent"
        with pytest.raises(Open311Error, match="no answer to POST requests.json within 0.5 s"):
            await client(city, timeout=0.5).file("S1", "31 Lantern St", "a pothole", "k1")
        city.fault = ""
        assert (await client(city).file("S1", "31 Lantern St", "a pothole", "k1")).id == "638344"
    assert len(city.requests) == 1


async def test_errors_say_what_to_do_and_no_key() -> None:
    with GeoReport() as city:
        with pytest.raises(Open311Error, match="HTTP 403.*check OPEN311_API_KEY") as refused:
            await client(city, key="wrong-secret").file("S1", "31 Lantern St", "a pothole", "k1")
        assert "wrong-secret" not in str(refused.value) and city.requests == []
        with pytest.raises(Open311Error, match="HTTP 404.*unknown service_code"):
            await client(city).file("S9", "31 Lantern St", "a pothole", "k1")
        city.fault = "html"
        with pytest.raises(Open311Error, match="not JSON"):
            await client(city).services()
    with pytest.raises(Open311Error, match="cannot be reached.*check OPEN311_URL"):
        await client(city).services()
    assert "secret-key" not in repr(Open311Settings.model_construct(api_key=SecretStr("secret-key")))


def test_words_that_are_a_yes() -> None:
    assert all(map(is_yes, ("yes", "Yes.", " OK", "approve", "sí")))
    assert not any(map(is_yes, ("", "no", "yes if it is cheap", "not ok", "no: too early", "yesterday")))
