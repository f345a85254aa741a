"""The schemas that are sent walk clean in strict mode and stay small."""

import datetime as dt
import json
import warnings
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, StringConstraints

from agents.model.schema import contract_schema, decision_schema, shape
from contracts import Facts, Return

ROSTER = ("permits", "street_lights", "potholes", "housing")
ALLOWED = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref", "$defs", "description"}


class Kind(StrEnum):
    NEW = "new"
    OLD = "old"


class AwkwardFacts(Facts):
    id: Annotated[str, StringConstraints(pattern=r"^P-\d+$", max_length=16)] | None = None
    ids: tuple[Annotated[str, StringConstraints(pattern=r"^P-\d+$", max_length=16)], ...] = Field((), max_length=8)
    pair: tuple[int, bool] = Field((1, True), max_length=2)
    kind: Kind = Kind.NEW
    one: Literal["only"] = "only"
    day: dt.date | None = None
    share: float = Field(0, ge=0, le=1)


class AwkwardReturn(Return):
    facts: AwkwardFacts


def exact(text: str) -> int:
    """Count o200k tokens; the package warns of its own use of an older API."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return len(bpe_openai.get_encoding("o200k_base").encode(text))


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema in a schema."""
    yield schema
    for part in [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", [])]:
        yield from nodes(part)
    if "items" in schema:
        yield from nodes(schema["items"])


@pytest.mark.parametrize("schema", [decision_schema(ROSTER), contract_schema(AwkwardReturn)], ids=["decision", "awkward"])
def test_a_schema_walks_clean(schema: dict[str, Any]) -> None:
    found = list(nodes(schema))
    assert len(found) > 5
    for node in found:
        assert set(node) <= ALLOWED, node
        assert "type" in node or "anyOf" in node or "$ref" in node, node
        if node.get("type") == "object":
            assert node["additionalProperties"] is False and node["required"] == list(node["properties"]) and node["properties"]
        if "$ref" in node:
            assert set(node) == {"$ref"} and node["$ref"].removeprefix("#/$defs/") in schema["$defs"]


def test_optional_facts_are_nullable_and_their_values_survive() -> None:
    facts = contract_schema(AwkwardReturn)["$defs"]["AwkwardFacts"]["properties"]
    assert {"type": "null"} in facts["id"]["anyOf"] and {"type": "null"} in facts["day"]["anyOf"]
    assert facts["one"]["enum"] == ["only"] and facts["share"]["type"] == "number"


def test_the_decision_schema_is_small_stable_and_names_the_roster() -> None:
    compact = json.dumps(decision_schema(ROSTER), separators=(",", ":"))
    assert compact == json.dumps(decision_schema(list(ROSTER)), separators=(",", ":"))
    assert exact(compact) <= 136
    assert all(name in compact for name in ROSTER)


def test_the_shape_in_words_says_json_and_every_key() -> None:
    for schema in (decision_schema(ROSTER), contract_schema(AwkwardReturn)):
        said = shape(schema)
        assert "json" in said and "\n" not in said and all(f'"{name}":' in said for name in schema["properties"])
    assert exact(shape(decision_schema(ROSTER))) <= 75
