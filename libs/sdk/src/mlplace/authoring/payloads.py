"""Reads and writes payloads as values of the declared types."""

import json
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from mlplace.authoring.finite_numbers import not_finite_in
from mlplace.errors import bad_request, findings, invalid_input, processing_exception
from mlplace_gateproto import gate_pb2

_NAMES: Mapping[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    bytes: "bytes",
    dict: "object",
    list: "array",
    Any: "any",
    object: "any",
    None: "null",
    NoneType: "null",
}


_NULL = b"null"
# Longest text that may be an empty object with white space; anything longer is not parsed twice.
_LONGEST_EMPTY = 16


def type_name(annotation: object) -> str:
    """Returns the type name for descriptors and payloads: the class name, "array X" for lists, "null" for None."""
    if annotation in _NAMES:
        return _NAMES[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (list, tuple, set, frozenset):
        return f"array {type_name(arguments[0])}" if arguments else "array"
    if origin in (Union, UnionType):
        return " or ".join(type_name(argument) for argument in arguments if argument is not NoneType)
    if isinstance(origin, type):
        return type_name(origin)
    return getattr(annotation, "__name__", "any")


class PayloadType:
    """One declared type. ``bytes`` is sent as a binary payload, other types as JSON."""

    def __init__(self, annotation: object) -> None:
        self.annotation = annotation
        self.name = type_name(annotation)
        self.binary = annotation is bytes
        self.adapter: TypeAdapter[object] = TypeAdapter(annotation)  # pyright: ignore[reportArgumentType] - any form

    def read(self, payload: gate_pb2.PayloadProto, where: str) -> object:
        """Raises bad-request if the payload is missing, of the wrong kind, or invalid."""
        kind = payload.WhichOneof("body")
        if kind is None:
            raise bad_request(f"{where}: no payload")
        if self.binary != (kind == "protobuf"):
            expected = "binary" if self.binary else "JSON"
            raise bad_request(f"{where}: a {expected} payload is expected")
        return payload.protobuf if self.binary else self.read_json(payload.json, where)

    def read_json(self, text: str | bytes, where: str) -> object:
        try:
            return self.adapter.validate_json(text)
        except ValidationError as error:
            raise invalid_input(where, error) from error

    def write(self, value: object) -> gate_pb2.PayloadProto:
        """Raises processing-exception if the author's answer is not of the declared type, or holds NaN or Infinity."""
        if self.binary and isinstance(value, bytes):
            return gate_pb2.PayloadProto(dataType=self.name, protobuf=value)
        if not isinstance(value, BaseModel):
            try:
                value = self.adapter.validate_python(value)
            except ValidationError as error:
                # Without the values: answers of a model do not belong in logs.
                found = "; ".join(f"{path}: {text}" for path, text in findings("answer", error).items())
                raise processing_exception(TypeError(f"the answer is not of type {self.name}: {found}")) from None
        text = self.adapter.dump_json(value, by_alias=True)
        if _NULL in text:
            self._expect_finite(value, text)
        return gate_pb2.PayloadProto(dataType=self.name, json=text.decode())

    def _expect_finite(self, value: object, text: bytes) -> None:
        written = json.loads(text, parse_int=len)  # an integer may have more digits than Python reads
        found = not_finite_in(self.adapter.dump_python(value, by_alias=True), written)
        if found is not None:
            raise processing_exception(ValueError(f"{found}, which JSON does not have"))


def is_absent(payload: gate_pb2.PayloadProto | None) -> bool:
    """Whether the payload is empty: the gate sends {} if the caller gave no config."""
    if payload is None or payload.WhichOneof("body") is None:
        return True
    if payload.WhichOneof("body") == "protobuf":
        return not payload.protobuf
    text = payload.json.strip()
    if len(text) > _LONGEST_EMPTY:
        return False
    try:
        return json.loads(text) in ({}, None) if text else True
    except ValueError:
        return False
