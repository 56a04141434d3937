"""Pins the wire: clients and services in use were built against golden/wire.json."""

import json
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from mlplace_gateproto import gate_pb2

GOLDEN = json.loads((Path(__file__).parent / "golden" / "wire.json").read_text())
SCALARS = {
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_FLOAT: "float",
}


def scalar_or_name(field: FieldDescriptor) -> str:
    if field.message_type:
        return field.message_type.name
    if field.enum_type:
        return field.enum_type.name
    return SCALARS[field.type]


def type_text(field: FieldDescriptor) -> str:
    nested = field.message_type
    if nested and nested.GetOptions().map_entry:
        key, value = nested.fields_by_name["key"], nested.fields_by_name["value"]
        return f"map<{scalar_or_name(key)},{scalar_or_name(value)}>"
    return f"repeated {scalar_or_name(field)}" if field.is_repeated else scalar_or_name(field)


def described(message: Descriptor) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for field in message.fields:
        row: dict[str, Any] = {"number": field.number, "type": type_text(field)}
        oneof = field.containing_oneof
        if oneof:
            # A proto3 optional field is compiled into a one-field oneof with a leading underscore.
            row |= {"optional": True} if oneof.name.startswith("_") else {"oneof": oneof.name}
        fields[field.name] = row
    return fields


def all_messages() -> dict[str, Descriptor]:
    found: dict[str, Descriptor] = {}
    for name, message in gate_pb2.DESCRIPTOR.message_types_by_name.items():
        found[name] = message
        for nested in message.nested_types:
            if not nested.GetOptions().map_entry:
                found[f"{name}.{nested.name}"] = nested
    return found


def all_enums() -> dict[str, EnumDescriptor]:
    found = dict(gate_pb2.DESCRIPTOR.enum_types_by_name)
    for name, message in gate_pb2.DESCRIPTOR.message_types_by_name.items():
        found |= {f"{name}.{nested.name}": nested for nested in message.enum_types}
    return found


class TestMessages:
    def test_names_numbers_types_and_presence_are_those_of_the_golden_table(self) -> None:
        assert {name: described(message) for name, message in all_messages().items()} == GOLDEN["messages"]

    def test_enum_values_are_those_of_the_golden_table(self) -> None:
        values = {name: {v.name: v.number for v in enum.values} for name, enum in all_enums().items()}
        assert values == GOLDEN["enums"]

    def test_the_number_of_the_removed_call_stays_reserved(self) -> None:
        source = (Path(gate_pb2.__file__).parent / "gate.proto").read_text()
        for name in ("ServiceToGateProto", "GateToServiceProto"):
            body = source.split(f"message {name} {{")[1].split("\n}")[0]
            assert "reserved 301;" in body

    def test_an_unknown_status_number_survives_a_round_trip(self) -> None:
        sent = gate_pb2.ApiErrorProto.FromString(bytes([3 << 3, 0xAD, 0x03]))  # varint 429
        assert gate_pb2.ApiErrorProto.FromString(sent.SerializeToString()).status == 429


class TestService:
    def test_methods_are_those_of_the_golden_table(self) -> None:
        service = gate_pb2.DESCRIPTOR.services_by_name["Gate"]
        methods = {
            method.name: {
                "request": ("stream " if method.client_streaming else "") + method.input_type.name,
                "response": ("stream " if method.server_streaming else "") + method.output_type.name,
            }
            for method in service.methods
        }
        assert service.full_name == "com.mlp.gate.Gate"
        assert methods == GOLDEN["rpcs"]
