from prometheus_client import Counter

STORAGE_MENDED = Counter(
    "mlp_gateway_storage_mended_total", "Counts of what an account stores that did not agree with what is stored"
)
ORPHANS = Counter("mlp_gateway_orphans_deleted_total", "Objects in the object store that no row named", ["kind"])
