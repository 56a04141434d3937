from prometheus_client import Counter, Gauge

ARCHIVED = Counter("mlp_gateway_archived_total", "Requests that were archived with their answers")
ARCHIVE_DROPPED = Counter(
    "mlp_gateway_archive_dropped_total",
    "Requests that should have been archived and were not: `full` (too much waits at this gate), `failed` (the "
    "database or the object store did not take them), `limit` (the storage limit of their account), `disk` (the "
    "platform's disk is nearly full)",
    ["why"],
)
ARCHIVE_WAITING = Gauge("mlp_gateway_archive_waiting_bytes", "Bytes that wait at this gate to be archived")
