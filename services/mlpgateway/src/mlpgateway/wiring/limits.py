"""The limits that this gate enforces with its peers."""

from mlpgateway.call.ports import GateDirectory
from mlpgateway.policy.limits.bucket_leases import BucketLeases
from mlpgateway.policy.limits.separate_limits import warn_of_separate_limits
from mlplace_runtime.quotas import SharedQuotas


def make_bucket_leases(quotas: SharedQuotas, gates: GateDirectory) -> BucketLeases:
    bucket_leases = BucketLeases(quotas)
    gates.watch(lambda members: bucket_leases.see_gates(len(members.active)))
    warn_of_separate_limits(quotas, gates)
    return bucket_leases
