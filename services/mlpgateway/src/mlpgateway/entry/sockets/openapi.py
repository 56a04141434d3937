"""The OpenAPI document of passed-on requests: any path below the model's path, any body, any answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mlpgateway.entry.http.routes import CallsModels
from mlpgateway.entry.sockets.front import PATH
from mlplace_runtime.web.policy import Policy

_SHOWN: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
_ABOUT: Final = (
    "Pass a request on to an instance that speaks HTTP: path, query, body and headers stay unchanged, except headers "
    "of the platform. The answer is streamed back unchanged. HEAD, OPTIONS and WebSockets, which begin with GET, work "
    "too"
)
_ANY: Final = {"*/*": {"schema": {"type": "string", "format": "binary"}}}


@dataclass(frozen=True, slots=True)
class PassedOn:
    """`name` is the operation id in the OpenAPI document."""

    name: str
    method: str
    path: str = PATH
    policy: Policy = CallsModels()  # noqa: RUF009  it holds nothing


HTTP_ROUTES: Final = tuple(PassedOn(f"httpInterface{method.title()}", method) for method in _SHOWN)


def http_paths(errors: Mapping[str, str]) -> dict[str, dict[str, object]]:
    return {PATH: {route.method.lower(): _operation(route, errors) for route in HTTP_ROUTES}}


def _operation(route: PassedOn, errors: Mapping[str, str]) -> dict[str, object]:
    text = {"type": "string"}
    about = {"account": "id, or short name", "model": "id, or short name", "path": "path at the instance, with slashes"}
    operation: dict[str, object] = {
        "tags": ["process-endpoint"],
        "operationId": route.name,
        "summary": _ABOUT,
        "description": route.policy.describe(),
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": text, "description": what}
            for name, what in about.items()
        ],
        "responses": {
            "200": {
                "description": "The instance's answer; other statuses of its own are passed on too",
                "content": _ANY,
            },
            "405": _error("A method other than these, HEAD and OPTIONS"),
            **{status: _error(what) for status, what in errors.items()},
        },
    }
    if route.method != "GET":
        operation["requestBody"] = {"required": False, "content": _ANY}
    return operation


def _error(description: str) -> dict[str, object]:
    schema = {"$ref": "#/components/schemas/ErrorBody"}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
