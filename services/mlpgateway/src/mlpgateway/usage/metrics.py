"""Metrics of the usage spool."""

from prometheus_client import Counter, Gauge, Histogram

WAITING_BYTES = Gauge("mlp_gateway_usage_spool_bytes", "Usage on this gate's disk that the event bus has not taken yet")
LIMIT_BYTES = Gauge("mlp_gateway_usage_spool_limit_bytes", "The most usage that may wait before the gate refuses calls")
SHIPPED = Counter("mlp_gateway_usage_shipped_total", "Usage events that the event bus has taken")
SYNC_SECONDS = Histogram(
    "mlp_gateway_usage_sync_seconds",
    "Time that the disk takes to store usage",
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30),
)
FAILURES = Counter("mlp_gateway_usage_spool_failures_total", "Times that the disk failed to store usage")
DAMAGED = Counter(
    "mlp_gateway_usage_spool_damaged_total", "Files of the usage spool that could not be read to their end"
)
