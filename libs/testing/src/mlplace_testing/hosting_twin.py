"""A test double of the platform for agents: it knows one server, sends desired states and records reports."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from mlplace_contracts.internal.hosting import (
    DesiredInstance,
    DesiredState,
    Enrolled,
    Heartbeat,
    ReportedInstance,
    ReportedPhase,
)

TOKEN = "a one-time token"
SECRET = "the server's secret"


class PlatformTwin:
    def __init__(self) -> None:
        self.desired: list[DesiredInstance] = []
        self.beats: list[Heartbeat] = []
        self.away = False
        self.refusing = False
        self.token: str | None = TOKEN

    def answer(self, path: str, authorization: str, body: bytes) -> tuple[int, bytes]:
        if self.away:
            return 503, b""
        if path == "/api/mlpcore/hosting-server/enroll":
            return self._enrol(json.loads(body)["token"])
        if self.refusing or authorization != f"Bearer {SECRET}":
            return 401, b""
        self.beats.append(Heartbeat.model_validate_json(body))
        return 200, DesiredState(instances=tuple(self.desired), heartbeat_seconds=0.1).model_dump_json().encode()

    def _enrol(self, token: str) -> tuple[int, bytes]:
        if token != self.token:
            return 401, b""
        self.token = None
        return 200, Enrolled(account_id=1, server_id=5, secret=SECRET).model_dump_json().encode()

    def report(self, instance_id: int = 7) -> ReportedInstance | None:
        reports = self.beats[-1].instances if self.beats else ()
        return next((r for r in reports if r.instance_id == instance_id), None)

    def phase(self, instance_id: int = 7) -> ReportedPhase | None:
        report = self.report(instance_id)
        return report.phase if report else None

    def text(self, instance_id: int = 7, restart_count: int = 0) -> str:
        chunks = [
            c for b in self.beats for c in b.logs if (c.instance_id, c.restart_count) == (instance_id, restart_count)
        ]
        return "".join(chunk.text for chunk in chunks)

    def transport(self) -> httpx.MockTransport:
        async def handle(request: httpx.Request) -> httpx.Response:
            if self.away:
                raise httpx.ConnectError("nobody listens")
            authorization = request.headers.get("authorization", "")
            status, content = self.answer(request.url.path, authorization, await request.aread())
            return httpx.Response(status, content=content)

        return httpx.MockTransport(handle)

    @contextmanager
    def listening(self) -> Generator[str]:
        """Listens on a local port, for agents in separate processes. Yields the URL."""
        twin = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                path = self.path.partition("?")[0]
                status, content = twin.answer(path, self.headers.get("authorization", ""), body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is the library's
                """Logs nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
