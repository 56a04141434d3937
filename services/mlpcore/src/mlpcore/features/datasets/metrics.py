from prometheus_client import Counter

DATASET_UPLOADS = Counter(
    "mlp_core_dataset_uploads_total", "Contents of datasets that were received: stored, refused or broken", ["outcome"]
)
DATASET_ORPHANS = Counter(
    "mlp_core_dataset_orphans_deleted_total", "Objects in the object store to which no dataset referred"
)
