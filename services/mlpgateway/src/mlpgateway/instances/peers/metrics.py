"""Metrics of calls between gates."""

from prometheus_client import Counter

FORWARDED_CALLS = Counter(
    "mlp_gate_forwarded_calls_total",
    "Calls handed to another gate: `forward` for its instances, `queue` for its queue, `entrust` before this one "
    "can authenticate callers; `slot` is a call that stays here, with a slot granted by the gate that queues",
    ["way"],
)
