"""Metrics of the gRPC server."""

from prometheus_client import Counter, Gauge

CONNECTIONS = Gauge("mlp_grpc_connections", "Connections that are open", ["proven"])
CONNECTIONS_CLOSED = Counter(
    "mlp_grpc_connections_closed_total", "Connections closed by the server, by cause", ["cause"]
)
CALLS_REFUSED = Counter(
    "mlp_grpc_streams_refused_total", "Streams refused or broken off by the server, by cause", ["cause"]
)
CERTIFICATE_EXPIRES = Gauge(
    "mlp_grpc_certificate_expires_timestamp_seconds",
    "End of the certificate of the gate's port in Unix time; 0 if the port uses no TLS",
)
