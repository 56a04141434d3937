"""A small image registry on this machine, from which the Docker engine pulls."""

import base64
import gzip
import hashlib
import io
import json
import platform
import tarfile
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
_CONFIG = "application/vnd.docker.container.image.v1+json"
_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


class Registry:
    """`logins`: users with their passwords; without any, everybody may pull. `seen`: what was asked for, and by whom."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.logins: dict[str, str] = {}
        self.seen: list[tuple[str, str | None]] = []
        self.blobs: dict[str, bytes] = {}
        self.layers: dict[str, str] = {}
        self.manifests: dict[tuple[str, str], bytes] = {}

    def add(
        self, repository: str, files: Mapping[str, str], *, tag: str = "1", links: Mapping[str, str] | None = None
    ) -> str:
        """Adds an image with these texts in files, by path, and links. Returns its address with the digest."""
        layer = _tar(files, links or {})
        config = {
            "architecture": _ARCHITECTURES[platform.machine()],
            "os": "linux",
            "author": self.host,  # no other test has this image under another name
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [_digest(layer)]},
        }
        parts = [(_CONFIG, json.dumps(config).encode()), (_LAYER, gzip.compress(layer, mtime=0))]
        described = [{"mediaType": kind, "digest": _digest(blob), "size": len(blob)} for kind, blob in parts]
        self.layers[repository] = _digest(parts[1][1])
        self.blobs |= {_digest(blob): blob for _, blob in parts}
        whole = {"schemaVersion": 2, "mediaType": _MANIFEST, "config": described[0], "layers": described[1:]}
        manifest = json.dumps(whole).encode()
        self.manifests |= {(repository, name): manifest for name in (tag, _digest(manifest))}
        return f"{self.host}/{repository}@{_digest(manifest)}"

    def user(self, authorization: str | None) -> str | None:
        """Returns the user of the header, None for a wrong one."""
        if authorization is None or not authorization.startswith("Basic "):
            return None
        name, _, password = base64.b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
        return name if self.logins.get(name) == password else None

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """Returns type and content."""
        name, _, kind_and_reference = path.removeprefix("/v2/").rpartition("/manifests/")
        if name and (found := self.manifests.get((name, kind_and_reference))):
            return _MANIFEST, found
        if (blob := self.blobs.get(path.rpartition("/blobs/")[2])) is not None:
            return "application/octet-stream", blob
        return None


@contextmanager
def served_registry() -> Generator[Registry]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            user = registry.user(self.headers["Authorization"])
            registry.seen.append((self.path, user))
            if registry.logins and user is None:
                return self._send(401, "text/plain", b"", {"WWW-Authenticate": 'Basic realm="registry"'})
            found = ("text/plain", b"") if self.path == "/v2/" else registry.answer(self.path)
            return self._send(200, *found) if found else self._send(404, "text/plain", b"")

        do_HEAD = do_GET  # noqa: N815  the name that the base class looks for

        def _send(self, status: int, kind: str, content: bytes, headers: Mapping[str, str] | None = None) -> None:
            self.send_response(status)
            described = {"Content-Type": kind, "Content-Length": str(len(content)), **(headers or {})}
            if kind == _MANIFEST:
                described["Docker-Content-Digest"] = _digest(content)
            for name, value in described.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name of the base class
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    registry = Registry(f"127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _tar(files: Mapping[str, str], links: Mapping[str, str]) -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
        for path, target in links.items():
            link = tarfile.TarInfo(path)
            link.type, link.linkname = tarfile.SYMTYPE, target
            tar.addfile(link)
    return archive.getvalue()


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
