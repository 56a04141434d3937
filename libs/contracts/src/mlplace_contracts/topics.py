"""The list of all topics with their retention. Adapters of the bus read only this table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """A named log of events. Records of one key keep their order.

    A compacted topic keeps at least the newest record of each key for ever, so that a read model can be rebuilt from
    it. Other topics keep records for `retention_days`.
    """

    name: str
    compacted: bool
    partitions: int
    retention_days: int = 7


ACCOUNTS = Topic("accountsadmin.accounts", compacted=True, partitions=6)
USERS = Topic("accountsadmin.users", compacted=True, partitions=6)
SESSIONS = Topic("accountsadmin.sessions", compacted=False, partitions=6, retention_days=31)
MEMBERSHIPS = Topic("accountsadmin.memberships", compacted=True, partitions=6)

LIMITS = Topic("mlpcore.account-limits", compacted=True, partitions=6)
MODELS = Topic("mlpcore.models", compacted=True, partitions=6)
PREDICT_CONFIGS = Topic("mlpcore.predict-configs", compacted=True, partitions=6)
API_KEYS = Topic("mlpcore.api-keys", compacted=True, partitions=6)
INSTANCES = Topic("mlpcore.instances", compacted=True, partitions=6)
RENTS = Topic("mlpcore.rents", compacted=True, partitions=6)
SCALINGS = Topic("mlpcore.scalings", compacted=False, partitions=6, retention_days=31)

USAGE = Topic("mlpgateway.usage", compacted=False, partitions=12, retention_days=31)
CONNECTIONS = Topic("mlpgateway.connections", compacted=False, partitions=6)
KEY_SPENDING = Topic("mlpgateway.key-spending", compacted=False, partitions=6)
CAPPED_CHARGES = Topic("mlpgateway.capped-charges", compacted=False, partitions=6)
FAILED_CALLS = Topic("mlpgateway.failed-calls", compacted=False, partitions=6, retention_days=31)
WAKE_UPS = Topic("mlpgateway.wake-ups", compacted=False, partitions=6, retention_days=1)
SAMPLES = Topic("mlpgateway.samples", compacted=False, partitions=6, retention_days=1)

BALANCES = Topic("mlpbilling.balances", compacted=True, partitions=6)
REFILLS = Topic("mlpbilling.refills", compacted=False, partitions=6, retention_days=31)

TOPICS: tuple[Topic, ...] = (
    ACCOUNTS,
    USERS,
    SESSIONS,
    MEMBERSHIPS,
    LIMITS,
    MODELS,
    PREDICT_CONFIGS,
    API_KEYS,
    INSTANCES,
    RENTS,
    SCALINGS,
    USAGE,
    CONNECTIONS,
    KEY_SPENDING,
    CAPPED_CHARGES,
    FAILED_CALLS,
    WAKE_UPS,
    SAMPLES,
    BALANCES,
    REFILLS,
)
BY_NAME = {topic.name: topic for topic in TOPICS}
