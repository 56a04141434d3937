"""Token buckets shared by several processes. Each process leases units and spends them in memory."""

from mlplace_runtime.quotas.memory import MemoryQuotas
from mlplace_runtime.quotas.port import Bucket, BucketAnswer, Counters, QuotasAwayError, Report, SharedQuotas

__all__ = ["Bucket", "BucketAnswer", "Counters", "MemoryQuotas", "QuotasAwayError", "Report", "SharedQuotas"]
