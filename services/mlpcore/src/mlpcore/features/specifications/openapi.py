"""Describes the calls of one model as an OpenAPI 3.1 document. No I/O."""

from dataclasses import dataclass
from typing import Any

from mlpcore.features.models.schemas import MethodDescriptorData, ServiceDescriptorData
from mlpcore.features.specifications.library import SHAPES, reached_from

_ANY: dict[str, Any] = {"description": "Any JSON"}
_ERRORS = {
    "400": "The request is not valid",
    "401": "The key is missing or wrong",
    "402": "There is not enough money",
    "403": "Not allowed",
    "404": "There is no such service",
    "429": "A limit is reached",
    "503": "No instance is active",
    "504": "The answer did not come in time",
}
_METHOD = "predict"


@dataclass(frozen=True, slots=True)
class ServicePlace:
    """The model that the document describes, and the address of its calls."""

    account_id: int
    model_id: int
    title: str
    description: str
    task_type: str
    version: str
    server_url: str


def document_of(place: ServicePlace, descriptor: ServiceDescriptorData) -> dict[str, Any]:
    """Returns the document. The task type determines the schemas; the summaries name the descriptor's types.

    A model may extend its task type, so its own documentation takes precedence.
    """
    request, response, config, components = _schemas(place.task_type)
    base = f"/api/mlpgateway/account/{place.account_id}/model/{place.model_id}"
    typed = _typed(descriptor.methods.get(_METHOD))
    both = {"type": "object", "required": ["data"], "properties": {"data": request, "config": config}}
    return {
        "openapi": "3.1.0",
        "info": {"title": place.title, "description": place.description, "version": place.version},
        "servers": [{"url": place.server_url}],
        "security": [{"key": []}],
        "paths": {
            f"{base}/predict": {"post": _operation("predict", f"Call the service{typed}", request, response)},
            f"{base}/predict-with-config-v2": {
                "post": _operation("predictWithConfig", f"Call it with a configuration{typed}", both, response)
            },
        },
        "components": {
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "MLP-API-KEY"}},
            "schemas": {**components, "Error": _ERROR},
        },
    }


_ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["code", "message", "status", "args", "requestId"],
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "status": {"type": "integer"},
        "args": {"type": "object", "additionalProperties": {"type": "string"}},
        "requestId": {"type": "string"},
    },
}


def _schemas(task_type: str) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Returns the schemas of request, response and configuration, and the schemas that they refer to."""
    shape = SHAPES.get(task_type)
    if shape is None:
        return _ANY, _ANY, _ANY, {}
    names = [shape.request, shape.response, *([shape.config] if shape.config else [])]
    components = reached_from(shape.file, *names)
    return _ref(shape.request), _ref(shape.response), _ref(shape.config) if shape.config else _ANY, components


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _typed(method: MethodDescriptorData | None) -> str:
    if method is None:
        return ""
    params = ", ".join(f"{name}: {kind.type}" for name, kind in sorted(method.params.items()))
    return f": `{_METHOD}({params}) -> {method.output.type}`"


def _operation(name: str, summary: str, request: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    errors = {
        status: {"description": text, "content": {"application/json": {"schema": _ref("Error")}}}
        for status, text in _ERRORS.items()
    }
    return {
        "operationId": name,
        "summary": summary,
        "requestBody": {"required": True, "content": {"application/json": {"schema": request}}},
        "responses": {
            "200": {"description": "The answer", "content": {"application/json": {"schema": response}}},
            **errors,
        },
    }
