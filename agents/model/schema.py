"""JSON schemas as strict endpoints take them, and the same shape in words for endpoints that take none."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from contracts.decision import Action

_KEPT = ("description", "enum", "$ref")
_TEXT: dict[str, Any] = {"type": "string"}


def decision_schema(roster: Iterable[str]) -> dict[str, Any]:
    """Return the schema of a routing decision with the roster's names as the only choices."""
    work = closed({"specialist": {"type": "string", "enum": list(roster)}, "ask": _TEXT, "handles": {"type": "array", "items": _TEXT}})
    return closed(
        {
            "reason": _TEXT,
            "action": {"type": "string", "enum": [action.value for action in Action]},
            "dispatch": {"type": "array", "items": work},
            "out_of_scope": {"type": "array", "items": _TEXT},
        }
    )


def contract_schema(contract: type[BaseModel]) -> dict[str, Any]:
    """Return a contract's schema for strict endpoints; what they refuse (caps, patterns, defaults) is checked after the reply."""
    full = contract.model_json_schema()
    parts = {name: strict(part) for name, part in full.get("$defs", {}).items()}
    schema = strict(full) | ({"$defs": parts} if parts else {})
    for part in (schema, *parts.values()):
        part.pop("description", None)  # a class docstring is for programmers
    return schema


def closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object schema with every key required and no other allowed."""
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Reduce one schema to the keywords that every strict endpoint accepts."""
    kept = {key: schema[key] for key in _KEPT if key in schema}
    if "$ref" in kept:
        return {"$ref": kept["$ref"]}
    if "const" in schema:
        kept["enum"] = [schema["const"]]
    if "anyOf" in schema:
        return kept | {"anyOf": [strict(part) for part in schema["anyOf"]]}
    kind = schema.get("type", "string")
    if kind == "object":
        return kept | closed({name: strict(part) for name, part in schema.get("properties", {}).items()})
    if kind == "array":
        parts = schema.get("prefixItems") or [schema.get("items", _TEXT)]
        return kept | {"type": "array", "items": strict(parts[0]) if len(parts) == 1 else {"anyOf": [strict(part) for part in parts]}}
    return kept | {"type": kind}


def shape(schema: Mapping[str, Any]) -> str:
    """Return the instruction that stands in for a schema where none can be sent; it always says json."""
    return "Reply with one json object and nothing else: " + _shape(schema, schema.get("$defs", {}))


def _shape(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _shape(defs[schema["$ref"].rsplit("/", 1)[1]], defs)
    if "anyOf" in schema:
        return " or ".join(_shape(part, defs) for part in schema["anyOf"])
    if "enum" in schema:
        return json.dumps("|".join(str(value) for value in schema["enum"]))
    if schema["type"] == "object":
        return "{" + ",".join(f'"{name}":{_shape(part, defs)}' for name, part in schema["properties"].items()) + "}"
    if schema["type"] == "array":
        return f"[{_shape(schema['items'], defs)}]"
    return '"string"' if schema["type"] == "string" else str(schema["type"])
