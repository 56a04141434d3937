"""A test double of the platform for agents: it knows one server, sends desired states and records reports."""

import json
from contextlib import AbstractContextManager

import httpx

from mlplace_contracts.internal.hosting import (
    DesiredInstance,
    DesiredState,
    Enrolled,
    Heartbeat,
    ReportedInstance,
    ReportedPhase,
)
from mlplace_testing.http_server import answering

TOKEN = "a one-time token"
SECRET = "the server's secret"


class PlatformTwin:
    def __init__(self) -> None:
        self.desired: list[DesiredInstance] = []
        self.beats: list[Heartbeat] = []
        self.away = False
        self.heartbeat_seconds = 0.1
        self.refusing = False
        self.token: str | None = TOKEN

    def answer(self, path: str, authorization: str, body: bytes) -> tuple[int, bytes]:
        if self.away:
            return 503, b""
        if path == "/api/mlpcore/hosting-server/enroll":
            return self._enrol(json.loads(body)["token"])
        if self.refusing or authorization != f"Bearer {SECRET}":
            return 401, b""
        heartbeat = Heartbeat.model_validate_json(body)
        self.beats.append(heartbeat)
        return 200, self._state(heartbeat).model_dump_json().encode()

    def _state(self, heartbeat: Heartbeat) -> DesiredState:
        """Describes only instances that the agent has not reported as they shall be, if it knows `kept`."""
        running = {(r.instance_id, r.generation) for r in heartbeat.instances if r.phase is not ReportedPhase.EXITED}
        kept = [
            instance
            for instance in self.desired
            if heartbeat.knows_kept and not instance.stop and (instance.instance_id, instance.generation) in running
        ]
        return DesiredState(
            instances=tuple(instance for instance in self.desired if instance not in kept),
            kept=tuple(instance.instance_id for instance in kept),
            heartbeat_seconds=self.heartbeat_seconds,
        )

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

    def listening(self) -> AbstractContextManager[str]:
        """Listens on a local port, for agents in separate processes. Its value is the URL."""
        return answering(self.answer)
