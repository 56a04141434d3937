"""Creates the FastAPI app of every service."""

from collections.abc import Sequence

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.encoders import jsonable_encoder
from fastapi.openapi.models import Schema
from fastapi.routing import APIRoute
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic.json_schema import models_json_schema
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from mlplace_kit.errors import RouteNotFound
from mlplace_runtime.service import Runtime, runtime_of
from mlplace_runtime.web import errors
from mlplace_runtime.web.audiences import audiences_of
from mlplace_runtime.web.docs import assets as docs_assets
from mlplace_runtime.web.docs import docs_router
from mlplace_runtime.web.errors import ErrorBody
from mlplace_runtime.web.health import health_of
from mlplace_runtime.web.json_requests import read_strictly
from mlplace_runtime.web.methods import HeadAsGet
from mlplace_runtime.web.policy import Public

# Not as `model`: FastAPI would prepare a serializer for each of these statuses of each route, which took half a second.
_ERROR_CONTENT = {"application/json": {"schema": {"$ref": f"#/components/schemas/{ErrorBody.__name__}"}}}
_ERROR_RESPONSES: dict[int | str, dict[str, object]] = {
    status: {"description": description, "content": _ERROR_CONTENT}
    for status, description in {
        400: "The request is not valid",
        401: "Nobody is signed in, or the key is wrong",
        403: "Not allowed",
        404: "Not found",
        409: "In conflict with what exists",
        413: "The body is too large",
        415: "The content type is not supported",
        429: "A limit is reached",
        500: "Something went wrong on our side",
        503: "A part of the platform does not answer",
    }.items()
}


def create_app(*, name: str, title: str, version: str, routers: Sequence[APIRouter]) -> FastAPI:
    """Creates an app without resources: `attach` adds its runtime when the service starts.

    The OpenAPI document is at `/api/{name}/openapi.json`. Health and metrics are internal: the edge does not route
    them. Wrap the app in RequestContext before serving it.
    """
    app = FastAPI(
        title=title,
        version=version,
        openapi_url=f"/api/{name}/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=_ERROR_RESPONSES,
        generate_unique_id_function=_operation_id,
        separate_input_output_schemas=False,
        redirect_slashes=False,
        telemetry={
            "tracing": False
        },  # its spans contain query strings with secrets; RequestContext makes one span per request
    )
    errors.install(app)
    app.add_middleware(HeadAsGet, routes=app.routes)
    for router in routers:
        read_strictly(router.routes)
        app.include_router(router)
    app.include_router(_probes(name))
    app.include_router(docs_router(name=name, title=title))
    app.mount(f"/api/{name}/docs-assets", docs_assets())
    _refuse_unknown_sockets(app)
    _complete_document(app)
    return app


def attach(app: FastAPI, runtime: Runtime, state: object = None) -> None:
    """`state`: what `mlplace_runtime.service.state_of` finds."""
    app.state.runtime = runtime
    app.state.service = state


def _operation_id(route: APIRoute) -> str:
    return route.name


def _probes(name: str) -> APIRouter:
    router = APIRouter(include_in_schema=False, dependencies=[Depends(Public())])

    async def live() -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(request: Request) -> Response:
        health = await health_of(runtime_of(request))
        return JSONResponse({"status": health.status, "missing": health.missing}, health.http_status)

    async def metrics() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    for prefix in ("", f"/internal/{name}"):
        router.add_api_route(f"{prefix}/health/live", live, name=f"live{prefix}")
        router.add_api_route(f"{prefix}/health/ready", ready, name=f"ready{prefix}")
        router.add_api_route(f"{prefix}/metrics", metrics, name=f"metrics{prefix}")
    return router


def _refuse_unknown_sockets(app: FastAPI) -> None:
    """Answers a WebSocket's handshake at an unknown address like any other request there.

    The framework answers 403 without a text.
    """
    unknown = app.router.default

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            raise RouteNotFound
        await unknown(scope, receive, send)

    app.router.default = refuse


def _complete_document(app: FastAPI) -> None:
    """Says in the OpenAPI document who may call an operation if only few may, and adds the schema of errors.

    Removes FastAPI's 422: invalid input is answered with 400 in the common error format.
    """
    original = app.openapi

    def openapi() -> dict[str, object]:
        document = original()
        audiences = audiences_of(app)
        for path, operations in document.get("paths", {}).items():
            for method, operation in operations.items():
                if audience := audiences.get((path, method.upper())):
                    operation["x-audience"] = audience
                operation.get("responses", {}).pop("422", None)
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        for schema in ("HTTPValidationError", "ValidationError"):
            schemas.pop(schema, None)
        schemas.update(_error_schemas())
        document["components"]["schemas"] = dict(sorted(schemas.items()))
        return document

    app.openapi = openapi


def _error_schemas() -> dict[str, object]:
    """Returns the schemas as FastAPI writes those of other bodies."""
    _, found = models_json_schema([(ErrorBody, "serialization")], ref_template="#/components/schemas/{model}")
    schemas = {name: Schema.model_validate(schema) for name, schema in found["$defs"].items()}
    return jsonable_encoder(schemas, by_alias=True, exclude_none=True)
