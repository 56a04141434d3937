"""Serves the built web interface as nginx does in the distributed shape: files, and one page for all other paths."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from mlplace_kit.errors import RouteNotFound
from mlplace_kit.ids import new_request_id
from mlplace_runtime.web.errors import error_response

# The component library writes inline styles. Scripts come from files only.
_POLICY: Final = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; "
    "media-src 'self' data: blob:; connect-src 'self'; font-src 'self' data:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'; object-src 'none'"
)
_PAGE_HEADERS: Final = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_ASSET_HEADERS: Final = {  # the names of these files change with what is in them
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
}
_ACCOUNT_PAGES: Final = "/c/"
_BUILD: Final = TypeAdapter(dict[str, str])


class Pages:
    """`folder` holds the build. Serves every path; the caller routes paths of the API elsewhere."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    @property
    def exist(self) -> bool:
        return (self._folder / "index.html").is_file()

    def build(self) -> Mapping[str, str] | None:
        """The version of the current build, which may change while the platform runs. None without a build."""
        try:
            return _BUILD.validate_json((self._folder / "version.json").read_bytes())
        except (OSError, ValidationError):
            return None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._answer(scope["path"]) or error_response(RouteNotFound(), new_request_id())
        await answer(scope, receive, send)

    def _answer(self, path: str) -> Response | None:
        if path.startswith("/assets/"):
            return self._file(path, _ASSET_HEADERS)
        if path == "/favicon.svg" or path.startswith("/options/"):
            return self._file(path, _PAGE_HEADERS)
        return self._file("accounts.html" if path.startswith(_ACCOUNT_PAGES) else "index.html", _PAGE_HEADERS)

    def _file(self, path: str, headers: Mapping[str, str]) -> Response | None:
        try:
            found = (self._folder / path.lstrip("/")).resolve()
            inside = found.is_relative_to(self._folder) and found.is_file()
        except (OSError, ValueError):  # not a valid file name
            return None
        return FileResponse(found, headers=headers) if inside else None
