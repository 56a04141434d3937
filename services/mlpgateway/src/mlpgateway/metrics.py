"""Metrics of the hot path."""

import time

from prometheus_client import Counter, Gauge, Histogram

from mlplace_runtime.telemetry.timings import Timing, Timings

_FINE = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)

OWN_SECONDS = Timings(
    "mlp_gateway_own_seconds",
    "Time a call spends in the gateway itself, by stage: `authenticate`, `authorise`, `admit` and `prepare`, which "
    "together are `let_in`; `choose` without what the call waited for; and `record`, writing down what it used. Calls "
    "on the warm path count in `let_in`, which includes their choice, and `record`",
    ["stages"],
    buckets=_FINE,
)
AUTHENTICATE = OWN_SECONDS.labels("authenticate")
AUTHORISE = OWN_SECONDS.labels("authorise")
ADMIT = OWN_SECONDS.labels("admit")
PREPARE = OWN_SECONDS.labels("prepare")
CHOOSE = OWN_SECONDS.labels("choose")
LET_IN = OWN_SECONDS.labels("let_in")
RECORD = OWN_SECONDS.labels("record")
INSTANCE_SECONDS = Timings(
    "mlp_gateway_instance_seconds",
    "Time from choosing an instance to the end of its answer",
    buckets=(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600),
).labels()
ACTIVE_CALLS = Gauge("mlp_gateway_active_calls", "Calls in progress")
CALLS = Counter("mlp_gateway_calls_total", "Calls that were answered, by operation", ["operation"])
REFUSALS = Counter("mlp_gateway_refusals_total", "Calls that ended in an error of the gateway, by code", ["code"])
INSTANCE_ERRORS = Counter("mlp_gateway_instance_errors_total", "Calls that the instance answered with an error")
RETRIES = Counter("mlp_gateway_retries_total", "Calls sent to a second instance because the first was lost")
REPEATS = Counter(
    "mlp_gateway_repeats_total",
    "Requests sent again by the retries config of a model: after an error, or while no answer came (hedge)",
    ["why"],
)
REPEATS_REFUSED = Counter("mlp_gateway_repeats_refused_total", "Requests not sent again: the budget was used up")
CIRCUITS_OPENED = Counter("mlp_gateway_circuits_opened_total", "Times that a circuit breaker opened")
WAITING_CALLS = Gauge("mlp_gateway_waiting_calls", "Calls that wait for an instance to start or to be free")
WAIT_SECONDS = Histogram(
    "mlp_gateway_wait_seconds",
    "Time that calls waited for an instance to start, for their turn in its queue, or for their batch; calls that did "
    "not wait are not counted",
    ["phase"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 600),
)
WAKE_UPS = Counter("mlp_gateway_wake_ups_total", "Requests for an instance of a model that has none")
BATCH_SIZE = Histogram(
    "mlp_gateway_batch_calls", "Calls in one batch", buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
)
SHED = Counter("mlp_gateway_shed_total", "Calls refused because the gate is overloaded, by reason", ["reason"])
ABSURD_BILLING = Counter(
    "mlp_gateway_absurd_billing_total", "Implausible billing headers of instances, which were counted as 0"
)
CAPPED_CHARGES = Counter(
    "mlp_gateway_capped_charges_total",
    "Answers that reported a price above the most that the call may cost, by whose bound it was",
    ["by"],
)
LEASES_ASKED = Counter("mlp_gateway_leases_asked_total", "Requests to mlpbilling for money to lease")
QUOTAS_AWAY = Gauge("mlp_gateway_quotas_away", "1 while gates do not share limits: each gate enforces its part")
USAGE_BATCH = Histogram(
    "mlp_gateway_outbox_batch_rows", "Rows in one write to the outbox", buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
)


class Laps:
    """Times stages that follow each other."""

    __slots__ = ("_began", "_last")

    def __init__(self) -> None:
        self._began = self._last = time.perf_counter()

    def end(self, stage: Timing) -> None:
        now = time.perf_counter()
        stage.observe(now - self._last)
        self._last = now

    @property
    def total(self) -> float:
        """Seconds from creation to the end of the last stage."""
        return self._last - self._began
