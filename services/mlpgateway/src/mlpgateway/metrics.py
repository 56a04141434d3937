"""Metrics of the hot path."""

from prometheus_client import Counter, Gauge, Histogram

_FINE = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)

OWN_SECONDS = Histogram(
    "mlp_gateway_own_seconds",
    "Time a call spends in the gateway itself: letting it in, and writing down what it used",
    ["stages"],
    buckets=_FINE,
)
LET_IN = OWN_SECONDS.labels("let_in")
RECORD = OWN_SECONDS.labels("record")
INSTANCE_SECONDS = Histogram(
    "mlp_gateway_instance_seconds",
    "Time from choosing an instance to the end of its answer",
    buckets=(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600),
)
ACTIVE_CALLS = Gauge("mlp_gateway_active_calls", "Calls in progress")
CALLS = Counter("mlp_gateway_calls_total", "Calls that were answered, by operation", ["operation"])
REFUSALS = Counter("mlp_gateway_refusals_total", "Calls that ended in an error of the gateway, by code", ["code"])
INSTANCE_ERRORS = Counter("mlp_gateway_instance_errors_total", "Calls that the instance answered with an error")
RETRIES = Counter("mlp_gateway_retries_total", "Calls sent to a second instance because the first was lost")
ABSURD_BILLING = Counter(
    "mlp_gateway_absurd_billing_total", "Billing headers of instances that were not believed and counted as 0"
)
LEASES_ASKED = Counter("mlp_gateway_leases_asked_total", "Requests to mlpbilling for money to lease")
QUOTAS_AWAY = Gauge("mlp_gateway_quotas_away", "1 while limits are not shared: each gate keeps to its part")
USAGE_BATCH = Histogram(
    "mlp_gateway_outbox_batch_rows", "Rows in one write to the outbox", buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
)
