"""A minimal OTLP collector that keeps the spans that processes send over HTTP, and a real one in front of it."""

import json
import socket
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from mlplace_testing.ports import free_port
from tests.acceptance.waiting import eventually


@dataclass(frozen=True)
class SpanSeen:
    """Ids in hexadecimal; `parent` is empty for the first span of a trace. `sender` is the User-Agent of the exporter."""

    process: str
    name: str
    trace: str
    span: str
    parent: str
    sender: str


class Collector:
    """Listens on a loopback port between `start` and `stop`."""

    def __init__(self) -> None:
        self.spans: list[SpanSeen] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.spans.extend(_spans(body, self.headers["User-Agent"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1/traces"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def of_trace(self, trace: str) -> list[SpanSeen]:
        return [span for span in self.spans if span.trace == trace]


@contextmanager
def opentelemetry_collector(program: str, target: Collector) -> Generator[str]:
    """Runs the OpenTelemetry collector, which passes all spans on to `target`. Yields the URL that it takes spans at."""
    address = f"127.0.0.1:{free_port()}"
    settings = {
        "receivers": {"otlp": {"protocols": {"http": {"endpoint": address}}}},
        "exporters": {"otlp_http": {"traces_endpoint": target.endpoint, "compression": "none"}},
        "service": {
            "pipelines": {"traces": {"receivers": ["otlp"], "exporters": ["otlp_http"]}},
            "telemetry": {"metrics": {"level": "none"}, "logs": {"level": "warn"}},
        },
    }
    with subprocess.Popen([program, "--config", f"yaml:{json.dumps(settings)}"]) as process:
        try:
            eventually(lambda: process.poll() is not None or _listens(address))
            assert process.poll() is None, "the collector has ended"
            yield f"http://{address}/v1/traces"
        finally:
            process.terminate()


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def _spans(body: bytes, sender: str) -> list[SpanSeen]:
    request = ExportTraceServiceRequest.FromString(body)
    found: list[SpanSeen] = []
    for resource in request.resource_spans:
        names = {attribute.key: attribute.value.string_value for attribute in resource.resource.attributes}
        found.extend(
            SpanSeen(
                names.get("service.name", ""),
                span.name,
                span.trace_id.hex(),
                span.span_id.hex(),
                span.parent_span_id.hex(),
                sender,
            )
            for scope in resource.scope_spans
            for span in scope.spans
        )
    return found
