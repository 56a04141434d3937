from prometheus_client import Counter

STORAGE_MENDED = Counter(
    "mlp_gateway_storage_mended_total", "Counts of stored data that differed from the real data and were corrected"
)
ORPHANS = Counter("mlp_gateway_orphans_deleted_total", "Objects in the object store that no row named", ["kind"])
