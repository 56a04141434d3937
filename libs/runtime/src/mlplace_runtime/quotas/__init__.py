"""Token buckets shared by several processes. Each process leases units and spends them in memory."""

from mlplace_runtime.quotas.memory import MemoryQuotas
from mlplace_runtime.quotas.port import Bucket, Counters, QuotasAwayError, Report, SharedQuotas, Standing

__all__ = ["Bucket", "Counters", "MemoryQuotas", "QuotasAwayError", "Report", "SharedQuotas", "Standing"]
