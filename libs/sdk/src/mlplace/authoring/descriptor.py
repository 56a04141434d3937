"""The service descriptor, from which the platform shows and checks a service."""

from typing import Any

import yaml
from pydantic import TypeAdapter

from mlplace.authoring.payloads import PayloadType
from mlplace.authoring.service import Service
from mlplace.authoring.signature import Method
from mlplace_gateproto import gate_pb2

SCHEMA_FILE = "schema"


def build_descriptor(service: Service) -> gate_pb2.ServiceDescriptorProto:
    return gate_pb2.ServiceDescriptorProto(
        name=service.name,
        fittable=service.fit is not None,
        methods={name: _method(method) for name, method in service.methods.items()},
        schemaFiles={SCHEMA_FILE: yaml.safe_dump(json_schemas(service), sort_keys=False, allow_unicode=True)},
    )


def json_schemas(service: Service) -> dict[str, Any]:
    """Returns the JSON schemas of all methods.

    ``{"methods": {method: {"input": {parameter: schema}, "output": schema}}, "definitions": {type: schema}}``
    """
    adapters: list[tuple[tuple[str, str], Any, TypeAdapter[object]]] = []
    for name, method in service.methods.items():
        adapters += [((name, parameter.name), "validation", parameter.type.adapter) for parameter in method.parameters]
        if name != "init":
            adapters.append(((name, ""), "serialization", method.output.adapter))
    schemas, shared = TypeAdapter.json_schemas(adapters, ref_template="#/definitions/{model}")
    methods: dict[str, Any] = {name: {"input": {}} for name in service.methods}
    for ((method_name, parameter), _mode), schema in schemas.items():
        if parameter:
            methods[method_name]["input"][parameter] = schema
        else:
            methods[method_name]["output"] = schema
    return {"methods": methods, "definitions": shared.get("$defs", {})}


def _method(method: Method) -> gate_pb2.MethodDescriptorProto:
    output = PayloadType(None) if method.name == "init" else method.output
    return gate_pb2.MethodDescriptorProto(
        input={
            parameter.name: gate_pb2.ParamDescriptorProto(type=parameter.type.name) for parameter in method.parameters
        },
        output=gate_pb2.ParamDescriptorProto(type=output.name),
    )
