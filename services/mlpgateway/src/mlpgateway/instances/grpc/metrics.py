"""Metrics of the gate."""

from prometheus_client import Counter, Gauge

CONNECTED_INSTANCES = Gauge("mlp_gate_connected_instances", "Streams of instances that are open")
ANSWERS_DROPPED = Counter(
    "mlp_gate_answers_dropped_total", "Answers that nobody waits for (late, repeated, made up), by kind", ["kind"]
)
STREAMS_ENDED = Counter("mlp_gate_streams_ended_total", "Streams of instances that ended, by cause", ["cause"])
CONNECTIONS_REFUSED = Counter("mlp_gate_connections_refused_total", "Instances turned away, by cause", ["cause"])
CLIENT_CALLS = Counter(
    "mlp_gate_client_calls_total", "Calls of gRPC clients, by method and outcome", ["rpc", "outcome"]
)
