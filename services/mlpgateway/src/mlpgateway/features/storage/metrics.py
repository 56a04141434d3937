from prometheus_client import Counter

COUNTS_CORRECTED = Counter(
    "mlp_gateway_storage_counts_corrected_total",
    "Counts of stored data that differed from the real data and were corrected",
)
ORPHANS = Counter("mlp_gateway_orphans_deleted_total", "Objects in the object store that no row named", ["kind"])
