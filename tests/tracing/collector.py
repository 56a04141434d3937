"""A minimal OTLP collector that keeps the spans that processes send over HTTP."""

import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class SpanSeen:
    """Ids in hexadecimal; `parent` is empty for the first span of a trace."""

    process: str
    name: str
    trace: str
    span: str
    parent: str


class Collector:
    """Listens on a loopback port between `start` and `stop`."""

    def __init__(self) -> None:
        self.spans: list[SpanSeen] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.spans.extend(_spans(body))
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


def _spans(body: bytes) -> list[SpanSeen]:
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
            )
            for scope in resource.scope_spans
            for span in scope.spans
        )
    return found
