"""The OpenAPI description of the service, made from its endpoints and the classes of its messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from minleak.serve._problems import CODES

if TYPE_CHECKING:
    from minleak.serve._application import Endpoint

_TYPES = {str: "string", int: "integer", float: "number", NoneType: "null"}
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string", "enum": list(CODES)},
                "message": {"type": "string"},
                "at": {"type": "integer", "description": "Which of several things, counted from 0."},
            },
        }
    },
}


def describe(endpoints: Iterable[Endpoint], version: str) -> dict[str, Any]:
    """The OpenAPI document of these endpoints."""
    schemas: dict[str, Any] = {"Error": _ERROR}
    return {
        "openapi": "3.1.0",
        "info": {"title": "minleak serve", "version": version, "description": "Sets to show in place of a secret."},
        "paths": {one.path: {one.method.lower(): _operation(one, schemas)} for one in endpoints},
        "components": {"schemas": schemas, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(one: Endpoint, schemas: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {"text/plain": {"schema": {"type": "string"}}}
    if one.answer is not None:
        answer = {"application/json": {"schema": _schema(one.answer, schemas)}}
    said: dict[str, Any] = {
        "operationId": one.path.strip("/").replace(".", "_"),
        "summary": one.summary,
        "responses": {
            "200": {"description": "Done.", "content": answer},
            "default": {
                "description": "Refused: the code says why.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            },
        },
    }
    if one.request is not None:
        content = {"application/json": {"schema": _schema(one.request, schemas)}}
        said["requestBody"] = {"required": True, "content": content}
    if not one.open:
        said["security"] = [{"token": []}, {}]
    return said


def _schema(kind: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a type; those of dataclasses are added to `schemas`."""
    if get_origin(kind) is Annotated:
        inner, description = get_args(kind)
        return _schema(inner, schemas) | {"description": description}
    if is_dataclass(kind) and isinstance(kind, type):
        if kind.__name__ not in schemas:
            hints = get_type_hints(kind, include_extras=True)
            schemas[kind.__name__] = {
                "type": "object",
                "description": kind.__doc__,
                "properties": {name: _schema(hint, schemas) for name, hint in hints.items()},
                "required": [one.name for one in fields(kind) if one.default is MISSING],
                "additionalProperties": False,
            }
        return {"$ref": f"#/components/schemas/{kind.__name__}"}
    if isinstance(kind, UnionType):
        return {"anyOf": [_schema(one, schemas) for one in get_args(kind)]}
    if get_origin(kind) is list:
        return {"type": "array", "items": _schema(get_args(kind)[0], schemas)}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": _schema(get_args(kind)[1], schemas)}
    return {} if kind is Any else {"type": _TYPES[kind]}
