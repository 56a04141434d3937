"""The page that shows an app's OpenAPI document. Its scripts and styles are served locally, without the internet."""

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Depends
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from mlplace_kit.errors import RouteNotFound
from mlplace_runtime.web.policy import Public


class _Files(StaticFiles):
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises RouteNotFound for a WebSocket's handshake: a mount gets these, too."""
        if scope["type"] == "websocket":
            raise RouteNotFound
        await super().__call__(scope, receive, send)


def assets() -> StaticFiles:
    """Swagger UI from its Python package."""
    return _Files(directory=Path(str(files("fastapi_swagger.resources"))))


def docs_router(*, name: str, title: str) -> APIRouter:
    router = APIRouter(include_in_schema=False, dependencies=[Depends(Public())])
    base = f"/api/{name}"
    page = get_swagger_ui_html(
        openapi_url=f"{base}/openapi.json",
        title=title,
        swagger_js_url=f"{base}/docs-assets/swagger-ui-bundle.js",
        swagger_css_url=f"{base}/docs-assets/swagger-ui.css",
        swagger_favicon_url=f"{base}/docs-assets/favicon-32x32.png",
    )

    @router.get(f"{base}/docs")
    async def docs() -> HTMLResponse:
        return page

    return router
