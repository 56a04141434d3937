"""Adds the raw routes for calls of models to the OpenAPI document, because the framework does not know them."""

from collections.abc import Mapping
from typing import Final, cast

from fastapi import FastAPI
from pydantic.json_schema import models_json_schema

from mlpgateway.entry.adapters.openapi import ADAPTER_SCHEMAS, adapter_paths
from mlpgateway.entry.call_options import SERVED, documented
from mlpgateway.entry.http.routes import RAW_ROUTES, RawRoute
from mlpgateway.entry.http.visitors import VISITOR_ROUTE
from mlpgateway.entry.sockets.openapi import http_paths
from mlplace_runtime.web.errors import ErrorBody

_ANY: Final[Mapping[str, object]] = {"description": "Any JSON"}
_SCHEMAS: Final[Mapping[str, object]] = {
    "PredictRequestData": {
        "type": "object",
        "required": ["data"],
        "additionalProperties": False,
        "properties": {"data": _ANY, "config": _ANY, "dataType": {"type": "string"}},
    },
    "Predict2RequestData": {
        "type": "object",
        "required": ["data"],
        "additionalProperties": False,
        "properties": {
            "data": {"type": "string", "description": "JSON as text"},
            "config": {"type": "string", "nullable": True, "description": "JSON as text"},
            "dataType": {"type": "string"},
        },
    },
    "ExtendedRequestData": {
        "type": "object",
        "required": ["methodName"],
        "additionalProperties": False,
        "properties": {
            "methodName": {"type": "string"},
            "params": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    },
    **models_json_schema([(ErrorBody, "validation")], ref_template="#/components/schemas/{model}")[1]["$defs"],
}
_ERRORS: Final = {
    "400": "The request is not valid, or the model refused it",
    "401": "The credential is missing or not valid",
    "402": "The balance does not cover the call",
    "403": "Not allowed, for example by a limit of the key or from this address, or the payer is blocked",
    "404": "No such account, model or config",
    "408": "The streamed answer was not read in time",
    "409": "The call with this idempotency key is still running",
    "413": "The request is larger than the gateway or the key allows",
    "415": "This path does not accept the type of the body",
    "422": "The idempotency key was used for another request",
    "429": "A limit of the account or of the key is used up; `args` name it",
    "500": "The model failed",
    "502": "The answer of the model is not valid",
    "503": "No instance is running, the gateway is overloaded, or a part of the platform does not answer",
    "504": "The model did not answer in time, or no instance of it started in time",
    "508": "The call came back to a model that it had passed",
}
_HEADERS: Final = {
    "Z-requestId": "Id of the call in logs and traces; generated when absent, and always returned",
    "Z-Priority": "Place in the model's queue: a whole number, higher first",
    "MLP-CALL-CHAIN": "Ids of the models that the call has passed, as a composite model received them",
    "MLP-BILLING-KEY": "An API key that pays instead of the caller's",
}
_LIMITS: Final = {
    "RateLimit": "The remaining units of each limit on calls, and the seconds until it is full again",
    "RateLimit-Policy": "The limits on calls",
    "X-RateLimit-Limit": "The limit that is nearest to being used up",
    "X-RateLimit-Remaining": "The remaining units of this limit",
    "X-RateLimit-Reset": "Seconds until this limit is full again",
    "Z-Wait-Phase": "What the call waited for: start, queue or batch; absent when it did not wait",
    "Z-Wait-Ms": "How many milliseconds it waited",
    "MLP-Units": "The counted units; absent for services that report their price, and for answers in parts",
    "MLP-Cost": "What the payer is charged after free units, in units of the model's currency; absent while unknown",
}


def document_raw_routes(app: FastAPI) -> None:
    """Adds the raw routes to the app's OpenAPI document."""
    original = app.openapi

    def openapi() -> dict[str, object]:
        document = cast("dict[str, dict[str, dict[str, object]]]", original())
        for route in RAW_ROUTES:
            document["paths"][route.path] = {"post": _operation(route)}
        document["paths"][VISITOR_ROUTE.path] = {"post": _operation(VISITOR_ROUTE) | {"parameters": _names()}}
        for paths in (adapter_paths(_ERRORS), http_paths(_ERRORS)):
            document["paths"].update(paths)
        document.setdefault("components", {}).setdefault("schemas", {}).update({**_SCHEMAS, **ADAPTER_SCHEMAS})
        return cast("dict[str, object]", document)

    app.openapi = openapi


def _operation(route: RawRoute) -> dict[str, object]:
    schema = {"$ref": f"#/components/schemas/{route.body}"} if route.body else _ANY
    return {
        "tags": ["process-endpoint"],
        "operationId": route.name,
        "summary": route.summary,
        "description": route.policy.describe(),
        "parameters": _parameters(route),
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {"200": _answer(route), **_begun(route), **_refusals()},
    }


def _parameters(route: RawRoute) -> list[dict[str, object]]:
    text = {"type": "string"}
    query: list[dict[str, object]] = []
    if route.body is None:
        query = [
            {"name": "configId", "in": "query", "required": False, "schema": {"type": "integer", "format": "int64"}},
            {"name": "dataType", "in": "query", "required": False, "schema": text},
        ]
    headers: list[dict[str, object]] = [
        {"name": name, "in": "header", "required": False, "schema": text, "description": about}
        for name, about in (_HEADERS | documented(route.name)).items()
    ]
    return [*_names(), *query, *headers]


def _names() -> list[dict[str, object]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string"},
            "description": "id, or short name",
        }
        for name in ("account", "model")
    ]


def _answer(route: RawRoute) -> dict[str, object]:
    schema = {"type": "string", "format": "binary"} if route.streamed else _ANY
    headers = {name: {"description": about, "schema": {"type": "string"}} for name, about in _LIMITS.items()}
    content = {"application/json": {"schema": schema}}
    if route.streamed:
        content["text/event-stream"] = {"schema": schema}
    return {"description": "The model's answer", "headers": headers, "content": content}


def _refusals() -> dict[str, object]:
    return {status: _error(text) for status, text in _ERRORS.items()}


def _begun(route: RawRoute) -> dict[str, object]:
    if not SERVED[route.name].respond_async:
        return {}
    schema = {"$ref": "#/components/schemas/PredictionData"}
    return {"202": {"description": "A prediction", "content": {"application/json": {"schema": schema}}}}


def _error(description: str) -> dict[str, object]:
    schema = {"$ref": "#/components/schemas/ErrorBody"}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
