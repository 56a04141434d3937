"""Events of mlpcore."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from mlplace_contracts.events.base import Event, Moment, StateEvent
from mlplace_contracts.limits import KeyLimits
from mlplace_contracts.topics import API_KEYS, INSTANCES, LIMITS, MODELS, PREDICT_CONFIGS, RENTS, SCALINGS, Topic
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class AccountLimitsChanged(StateEvent):
    """The limits and features of an account. `features` lists the enabled ones in lower case.

    `allowed_networks` are CIDR networks; None lets callers come from every address. `storage_bytes` is None in events
    that were written before this field existed.
    """

    type_name: ClassVar[str] = "mlpcore.account_limits_changed.v1"
    topic: ClassVar[Topic] = LIMITS

    account_id: int
    predict_per_sec: int
    fit_per_minute: int
    features: tuple[str, ...]
    allowed_networks: tuple[str, ...] | None = None
    storage_bytes: int | None = None

    @property
    def key(self) -> str:
        return str(self.account_id)


class ModelBilling(_Part):
    enabled: bool
    unit: BillingUnit
    unit_price_nano: int
    currency: Currency
    free_unit_quota: int

    @property
    def price_nano(self) -> int:
        """Returns the price of one unit of usage, in nano-units; 0 for a model that costs nothing."""
        return self.unit.price(self.unit_price_nano) if self.enabled else 0


class ModelPublicity(_Part):
    is_public: bool
    hidden: bool
    public_testing_allowed: bool
    allowed_accounts: tuple[int, ...] = ()


class ModelTimeouts(_Part):
    """Seconds."""

    pod_start: int
    predict: int
    fit: int


class ModelRetries(_Part):
    """`timeouts_ms` count from the first request. At each of them the gate sends one more request if no answer has
    arrived.
    """

    most: int
    timeouts_ms: tuple[int, ...] = ()
    most_per_instance: int | None = None


class ModelBatches(_Part):
    """A size below 2 switches batches off. A request longer than `longest_bytes` is sent alone."""

    size: int
    wait_ms: int
    longest_bytes: int | None = None


class ModelPriorityQueue(_Part):
    """`concurrency` is the number of requests that one instance gets at a time."""

    enabled: bool
    concurrency: int


class ModelHttp(_Part):
    """The instances of this model also speak HTTP; with `only`, they speak nothing else. `page` is the path of the
    health check.
    """

    port: int
    page: str
    only: bool


class ModelCaching(_Part):
    """`address` is the URI of the owner's MongoDB, in base64, sealed for `purpose` with the key of the installation."""

    PURPOSE: ClassVar[str] = "model-cache:{account_id}"

    address: str
    collection: str
    most: int

    @classmethod
    def purpose(cls, account_id: int) -> str:
        """Returns the purpose that an account's address is sealed for. The address of another account does not open
        under it.
        """
        return cls.PURPOSE.format(account_id=account_id)


class ModelArchive(_Part):
    """The last `most` calls are kept with their answers. With `public_key` (PEM, RSA) only the owner can read them."""

    most: int
    public_key: str | None = None


class ModelChanged(StateEvent):
    """All that a gate needs to know about a model to serve a call of it.

    `max_price_nano` is the most that one call may cost. None: the owner has published no maximal price, and the default
    of the platform applies. It does not apply to the unit `calls`, whose price is known before the call.

    `visitor_calls_per_day`: free calls of visitors who are not signed in, all together.
    """

    type_name: ClassVar[str] = "mlpcore.model_changed.v1"
    topic: ClassVar[Topic] = MODELS

    account_id: int
    model_id: int
    account_name: str
    model_name: str
    task_type: str
    active: bool
    prototype: bool
    fittable: bool
    composite: bool
    hosting_type: str
    reject_if_inactive: bool
    timeouts: ModelTimeouts
    billing: ModelBilling
    publicity: ModelPublicity
    retries: ModelRetries | None = None
    batches: ModelBatches | None = None
    priority_queue: ModelPriorityQueue | None = None
    http: ModelHttp | None = None
    caching: ModelCaching | None = None
    archive: ModelArchive | None = None
    max_price_nano: int | None = None
    visitor_calls_per_day: int = 0

    @property
    def open_to_visitors(self) -> bool:
        publicity = self.publicity
        return publicity.is_public and publicity.public_testing_allowed and self.visitor_calls_per_day > 0

    @property
    def key(self) -> str:
        return str(self.model_id)


class PredictConfigChanged(StateEvent):
    """A stored config of a model, as JSON text. `active` is false when the config was deleted. `version` counts the
    changes of its model.
    """

    type_name: ClassVar[str] = "mlpcore.predict_config_changed.v1"
    topic: ClassVar[Topic] = PREDICT_CONFIGS

    config_id: int
    account_id: int
    model_id: int
    is_default: bool
    config: str
    active: bool

    @property
    def key(self) -> str:
        return str(self.config_id)


class ApiKeyChanged(StateEvent):
    """An API key. `key_hash` is the keyed hash of the whole key. Permissions: predict, read, write.

    `max_price_nano` is the most that one call paid by this key may cost, in either currency.

    `allowed_origins` are the web origins whose pages may call with the key, as browsers send them, or `*`. Empty, also
    in events that were written before this field existed: scripts of other sites cannot read the answers.
    """

    type_name: ClassVar[str] = "mlpcore.api_key_changed.v1"
    topic: ClassVar[Topic] = API_KEYS

    key_id: int
    account_id: int
    name: str
    key_hash: str
    permissions: tuple[Literal["predict", "read", "write"], ...]
    allowed_models: tuple[int, ...] | None
    expires_at: Moment | None
    active: bool
    limits: KeyLimits | None = None
    """None: the key has no limits but those above."""
    max_price_nano: int | None = None
    allowed_origins: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return str(self.key_id)


class InstanceHttp(_Part):
    """Where an instance listens for HTTP. `trusted` is true when a server of the platform reports the address, false
    when the server belongs to a tenant.
    """

    host: str
    port: int
    trusted: bool = False


class InstanceChanged(StateEvent):
    """What a gate needs to accept a connection of an instance, or to open one. `accepts_connections` is false from the
    status REMOVING on. `purpose`: an InstancePurpose, or one that a later release knows; only "serve" answers calls.
    """

    type_name: ClassVar[str] = "mlpcore.instance_changed.v1"
    topic: ClassVar[Topic] = INSTANCES

    instance_id: int
    model_id: int
    account_id: int
    token_hash: str
    accepts_connections: bool
    http: InstanceHttp | None = None
    purpose: str = "serve"

    @property
    def key(self) -> str:
        return str(self.instance_id)


class RentChanged(StateEvent):
    """The rent that one account pays to another for hosting: `price_nano` for each period that begins, in advance.

    `rent_id` names one use of one thing by one payer. Terms that change at `changed_at` apply after the period that is
    already paid. `ended_at` ends the rent.
    """

    type_name: ClassVar[str] = "mlpcore.rent_changed.v1"
    topic: ClassVar[Topic] = RENTS

    rent_id: int
    source_type: Literal["RESOURCE_GROUP", "QUOTA", "SERVER"]
    source_name: str
    owner_account_id: int
    payer_account_id: int
    price_nano: int
    currency: Currency
    period: Literal["SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "YEAR"]
    started_at: Moment
    changed_at: Moment
    ended_at: Moment | None = None

    @property
    def key(self) -> str:
        return str(self.rent_id)


class MeasuredValue(_Part):
    """`name`: `activeRequests`, `requestsPerMinute`, `cpuMilliCores`, `latencyMs` or `queueTimeMs`."""

    name: str
    value: float


class ModelScaled(Event):
    """A decision about the number of instances of a model. `before`, `after`: requested instances.

    `kind`: SCALE_UP, SCALE_DOWN, SLEEP, WAKE_UP, NEED_SCALE_UP (no place is left for instances) or HELD (the maximum is
    too low). `values`: what was measured, averages per connected instance.
    """

    type_name: ClassVar[str] = "mlpcore.model_scaled.v1"
    topic: ClassVar[Topic] = SCALINGS

    decision_id: int
    account_id: int
    model_id: int
    kind: str
    reason: str
    before: int
    after: int
    connected: int
    decided_at: Moment
    values: tuple[MeasuredValue, ...]

    @property
    def key(self) -> str:
        return str(self.model_id)
