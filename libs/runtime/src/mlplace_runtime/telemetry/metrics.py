"""All metrics that the runtime itself records. Services define theirs in their own `metrics.py`."""

from prometheus_client import Counter, Gauge

from mlplace_runtime.telemetry.timings import Timings

OUTBOX_SHIPPED = Counter("mlp_outbox_shipped_total", "Events shipped from the outbox to the bus", ["service"])
OUTBOX_WAITING = Gauge(
    "mlp_outbox_waiting_rows", "Events that the bus has not accepted yet, of the batch at hand", ["service"]
)
EVENTS_HANDLED = Counter("mlp_events_handled_total", "Events handled, each once", ["consumer"])
EVENTS_PARKED = Counter("mlp_events_parked_total", "Events parked as dead letters", ["consumer"])
EVENTS_WAITING = Gauge(
    "mlp_consumer_waiting_events", "Events that a consumer has read and neither handled nor parked yet", ["consumer"]
)
EVENTS_UNREAD = Gauge("mlp_consumer_unread_events", "Events on the bus that a consumer has not read yet", ["consumer"])
LANES_APART = Gauge(
    "mlp_consumer_lanes_apart",
    "Keys whose events are handled apart from the others after a failure",
    ["consumer"],
)
DEAD_LETTERS = Gauge(
    "mlp_dead_letters",
    "Events that wait among the dead letters for a replay, counted by the relay at work",
    ["service"],
)
HTTP_SECONDS = Timings(
    "mlp_http_request_seconds",
    "Time from the request's head to the last byte of the answer",
    ["service", "method", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
HTTP_CONNECTIONS = Gauge("mlp_http_connections", "Connections to the HTTP server of this process")
HTTP_REFUSED = Counter(
    "mlp_http_refused_total", "Requests and connections that the HTTP server refused by itself, by reason", ["reason"]
)
LOOP_FAILURES = Counter(
    "mlp_background_failures_total", "Background tasks that ended with an error", ["service", "task"]
)
DISK_FREE = Gauge("mlp_disk_free_bytes", "Bytes that are free where this process writes", ["path"])
DISK_LEVEL = Gauge(
    "mlp_disk_level",
    "What the process has stopped for lack of disk space: 0 nothing, 1 the archive, 2 also predictions and stored "
    "answers, 3 the same and soon calls, 4 also calls",
)
