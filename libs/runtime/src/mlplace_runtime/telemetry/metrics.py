"""The names of all metrics that the runtime itself records. Services add theirs in a `metrics.py` of their own."""

from prometheus_client import Counter, Histogram

OUTBOX_SHIPPED = Counter("mlp_outbox_shipped_total", "Events shipped from the outbox to the bus", ["service"])
EVENTS_HANDLED = Counter("mlp_events_handled_total", "Events handled, each once", ["consumer"])
EVENTS_PARKED = Counter("mlp_events_parked_total", "Events parked as dead letters", ["consumer"])
HTTP_SECONDS = Histogram(
    "mlp_http_request_seconds",
    "Time from the request's head to the last byte of the answer",
    ["service", "method", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
LOOP_FAILURES = Counter(
    "mlp_background_failures_total", "Background tasks that ended with an error", ["service", "task"]
)
