from prometheus_client import Counter

BUCKET_UPLOADS = Counter(
    "mlp_core_bucket_uploads_total", "Objects and parts that were received: stored, refused or broken", ["outcome"]
)
BUCKET_BYTES = Counter("mlp_core_bucket_received_bytes_total", "Bytes of objects and parts that were stored")
BUCKET_BLOBS_DELETED = Counter(
    "mlp_core_bucket_blobs_deleted_total", "Blobs that were deleted because nothing referred to them"
)
BUCKET_UPLOADS_ABORTED = Counter(
    "mlp_core_bucket_uploads_aborted_total", "Unfinished uploads that were aborted after a week"
)
