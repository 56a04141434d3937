"""Serves the built web interface as nginx does in the distributed shape: files, and one page for all other paths."""

from collections.abc import Mapping
from email.utils import formatdate
from hashlib import blake2b
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from mlplace_kit.errors import MethodNotAllowed, RouteNotFound
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
_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""The same on each host: the types that Python knows come from the host's own lists."""
_VARIANTS: Final = {"br": ".br", "gzip": ".gz"}
"""Smallest first. The build writes them beside its files."""
_METHODS: Final = ("GET", "HEAD")
_TAG_BYTES: Final = 12
_ACCOUNT_PAGES: Final = "/c/"
_BUILD: Final = TypeAdapter(dict[str, str])


class Pages:
    """`folder` holds the build. Serves every path; the caller routes paths of the API elsewhere."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._tags: dict[tuple[Path, int, int], str] = {}

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
        await self._answer(scope)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response:
        path: str = scope["path"]
        if path.startswith("/assets/") and path.endswith(
            tuple(_VARIANTS.values())
        ):  # they have no address of their own
            return error_response(RouteNotFound(), new_request_id())
        if scope["method"] not in _METHODS:
            return error_response(MethodNotAllowed(_METHODS), new_request_id())
        return self._found(path, Headers(scope=scope)) or error_response(RouteNotFound(), new_request_id())

    def _found(self, path: str, request: Headers) -> Response | None:
        if path.startswith("/assets/"):
            return self._file(path, _ASSET_HEADERS, request)
        if path == "/favicon.svg" or path.startswith("/options/"):
            return self._file(path, _PAGE_HEADERS, request)
        page = "accounts.html" if path.startswith(_ACCOUNT_PAGES) else "index.html"
        return self._file(page, _PAGE_HEADERS, request)

    def _file(self, path: str, headers: Mapping[str, str], request: Headers) -> Response | None:
        """Returns the smallest variant that the browser accepts; 304 for what it has."""
        try:
            found = (self._folder / path.lstrip("/")).resolve()
            if not (found.is_relative_to(self._folder) and found.is_file()):
                return None
            variants = _variants(found)
            encoding = next((name for name in variants if _accepts(request.get("Accept-Encoding", ""), name)), None)
            chosen = found if encoding is None else variants[encoding]
            told = dict(headers) | self._told(chosen)
        except (OSError, ValueError):  # not a valid file name, or a build is replacing it
            return None
        if variants:
            told["Vary"] = "Accept-Encoding"
        if encoding:
            told["Content-Encoding"] = encoding
        if _has(request.get("If-None-Match"), told["ETag"]):
            return Response(status_code=304, headers=told)
        return FileResponse(chosen, headers=told, media_type=_TYPES.get(found.suffix))

    def _told(self, path: Path) -> dict[str, str]:
        """Returns what identifies the content of a file. All files of a wheel have the same time of modification."""
        facts = path.stat()
        key = (path, facts.st_ctime_ns, facts.st_size)
        if key not in self._tags:
            self._tags[key] = f'"{blake2b(path.read_bytes(), digest_size=_TAG_BYTES).hexdigest()}"'
        return {"ETag": self._tags[key], "Last-Modified": formatdate(facts.st_ctime, usegmt=True)}


def _variants(path: Path) -> dict[str, Path]:
    """Returns the compressed variants of a file that exist, by encoding."""
    named = {encoding: path.with_name(path.name + suffix) for encoding, suffix in _VARIANTS.items()}
    return {encoding: variant for encoding, variant in named.items() if variant.is_file()}


def _accepts(header: str, encoding: str) -> bool:
    """Reads `Accept-Encoding`: an encoding is accepted if it, or else `*`, is named with a weight above zero."""
    weights: dict[str, float] = {}
    for part in header.lower().split(","):
        name, _, weight = part.partition(";")
        try:
            weights[name.strip()] = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:  # not a weight
            weights[name.strip()] = 0
    return weights.get(encoding, weights.get("*", 0)) > 0


def _has(header: str | None, tag: str) -> bool:
    """Whether `If-None-Match` names the tag, or any."""
    tags = {part.strip().removeprefix("W/") for part in (header or "").split(",")}
    return tag in tags or "*" in tags
