"""The edge of the all-in-one shape: routes by path and removes headers that only the platform may set, like nginx."""

import re
from collections.abc import Awaitable, Callable, Mapping

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mlplace_kit.errors import MethodNotAllowed, RouteNotFound
from mlplace_kit.ids import new_request_id
from mlplace_runtime.auth.authenticator import INTERNAL_HEADER
from mlplace_runtime.web.errors import error_response

Missing = dict[str, str]
_ALIAS = "/api/mlpgate/"
_SOCKETS = ("/api/mlpcore/", _ALIAS, "/api/mlpgateway/", "/api/adapters/")
"""Addresses whose services answer handshakes, or refuse them in their own form."""
_PREDICT_FAMILY = frozenset({
    "predict", "predict-with-config", "predict-with-config-v2", "predict-with-config-v2-stream", "ext", "tts",
})  # fmt: skip
_READS = frozenset({"GET", "HEAD"})
_NEVER_PAGES = frozenset({"api", "internal", "metrics", "health"})
_BUCKET = re.compile(r"/s3-bucket-[0-9]+-")
_S3_SIGNATURE = b"AWS4-HMAC-SHA256 "
_MODEL_CALL_PARTS = 6  # account/{account}/model/{model}/<call>, after the alias
_INSIDER_HEADERS = frozenset({INTERNAL_HEADER.lower().encode(), b"x-forwarded-for", b"x-real-ip", b"forwarded"})


async def _nothing() -> Missing:
    return {}


class Edge:
    """`services` maps accountsadmin, mlpcore, mlpgateway and mlpbilling to their apps.

    `missing` returns the services that cannot serve, with the reason; `behind` returns what serving services lack.
    `pages` is the web interface if it is built. `built` returns the version of the current build, `version` is the
    answer without one.
    """

    def __init__(
        self,
        services: Mapping[str, ASGIApp],
        *,
        version: Mapping[str, str],
        missing: Callable[[], Awaitable[Missing]],
        pages: ASGIApp | None = None,
        built: Callable[[], Mapping[str, str] | None] = lambda: None,
        behind: Callable[[], Awaitable[Missing]] | None = None,
    ) -> None:
        self._pages = pages
        self._built = built
        self._services = services
        self._version = dict(version)
        self._missing = missing
        self._behind = behind or _nothing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            return
        scope = {**scope, "headers": [h for h in scope["headers"] if h[0] not in _INSIDER_HEADERS]}
        path: str = scope["path"]
        if scope["type"] == "websocket" and not path.startswith(_SOCKETS):
            await error_response(RouteNotFound(), new_request_id())(scope, receive, send)
            return
        own = await self._own_answer(path)
        if own:
            answer = own if scope["method"] in _READS else _not_allowed()
            await answer(scope, receive, send)
            return
        if path.startswith(_ALIAS):
            path = canonical(path)
            scope["path"] = path
            scope["raw_path"] = path.encode()
        app = self._services["mlpcore"] if _is_s3(scope, path) else self._route(path, scope.get("method", "GET"))
        if app is None:
            await error_response(RouteNotFound(), new_request_id())(scope, receive, send)
            return
        await app(scope, receive, send)

    async def _own_answer(self, path: str) -> JSONResponse | None:
        match path:
            case "/version":
                return JSONResponse(self._built() or self._version)
            case "/health/live":
                return JSONResponse({"status": "ok"})
            case "/health/ready":
                missing = await self._missing()
                behind = {} if missing else await self._behind()
                status = "degraded" if missing or behind else "ok"
                return JSONResponse({"status": status, "missing": missing | behind}, 503 if missing else 200)
            case _:
                return None

    def _route(self, path: str, method: str) -> ASGIApp | None:
        if path.startswith("/p/"):
            return self._services["mlpcore" if method in _READS else "mlpgateway"]
        if path.startswith("/specs/"):
            return self._services["mlpcore"]
        parts = path.split("/", 3)
        if len(parts) > 2 and parts[1] == "api":
            return self._services.get("mlpgateway" if parts[2] == "adapters" else parts[2])
        return None if parts[1] in _NEVER_PAGES else self._pages


def _not_allowed() -> Response:
    return error_response(MethodNotAllowed(_READS), new_request_id())


def _is_s3(scope: Scope, path: str) -> bool:
    """Whether it is a request of the S3 protocol: about a bucket, or for the list of buckets."""
    if path == "/":
        return any(name == b"authorization" and value.startswith(_S3_SIGNATURE) for name, value in scope["headers"])
    return _BUCKET.match(path) is not None


def canonical(path: str) -> str:
    """Resolve the old prefix `/api/mlpgate/`: calls of models go to mlpgateway, the rest to mlpcore."""
    rest = path.removeprefix(_ALIAS)
    parts = rest.split("/")
    is_call = len(parts) == _MODEL_CALL_PARTS - 1 and parts[0] == "account" and parts[2] == "model"
    service = "mlpgateway" if is_call and parts[4] in _PREDICT_FAMILY else "mlpcore"
    return f"/api/{service}/{rest}"
