"""Events of mlpgateway."""

import uuid
from typing import ClassVar, Literal

from mlplace_contracts.events.base import Event, Moment
from mlplace_contracts.limits import SpendingRule
from mlplace_contracts.topics import CAPPED_CHARGES, CONNECTIONS, FAILED_CALLS, KEY_SPENDING, USAGE, WAKE_UPS, Topic
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit

CappedBy = Literal["model", "platform", "caller", "key", "key_limit", "balance"]
"""What limited a charge to less than the service reported: the maximal price that the owner has published, the default
of the platform, the header of the caller, the maximal price or the remaining limits of the key that pays, or the
balance of the payer.
"""


class UsageRecorded(Event):
    """One answered call that counts for money or statistics.

    `units` are billed units: 1 for `calls`, the figure of the service for `custom`, the amount itself for `direct`.
    `amount_nano` is the price before free units: units x unit_price_nano, or the direct amount. The gate that answered
    derives `usage_id` once, so that a redelivery cannot charge twice. `max_price_nano` is the most that the call may
    cost, if its price was not known before the call. If the service reported more than is charged, `reported_*` hold
    its report and `capped_by` holds the reason.
    """

    type_name: ClassVar[str] = "mlpgateway.usage_recorded.v1"
    topic: ClassVar[Topic] = USAGE

    usage_id: uuid.UUID
    occurred_at: Moment
    request_id: str
    operation: Literal["predict", "ext", "fit"]
    caller_account_id: int
    payer_account_id: int
    payer_key_id: int | None
    model_account_id: int
    model_id: int
    model_name: str
    instance_id: int | None
    billing_unit: BillingUnit
    units: int
    unit_price_nano: int
    amount_nano: int
    currency: Currency
    reservation_id: uuid.UUID | None
    model_time_ms: int
    max_price_nano: int | None = None
    reported_units: int | None = None
    reported_amount_nano: int | None = None
    capped_by: CappedBy | None = None

    @property
    def key(self) -> str:
        return str(self.payer_account_id)


class InstanceConnected(Event):
    """An instance opened a stream to a gate. `boot_id` names the stream. The descriptor is the first one that the
    instance sent.
    """

    type_name: ClassVar[str] = "mlpgateway.instance_connected.v1"
    topic: ClassVar[Topic] = CONNECTIONS

    instance_id: int
    model_id: int
    account_id: int
    gate: str
    stream_id: uuid.UUID
    occurred_at: Moment
    hostname: str
    sdk_version: int
    image_name: str
    descriptor_json: str | None

    @property
    def key(self) -> str:
        return str(self.instance_id)


class InstanceLost(Event):
    type_name: ClassVar[str] = "mlpgateway.instance_lost.v1"
    topic: ClassVar[Topic] = CONNECTIONS

    instance_id: int
    model_id: int
    account_id: int
    gate: str
    stream_id: uuid.UUID
    occurred_at: Moment
    reason: str

    @property
    def key(self) -> str:
        return str(self.instance_id)


class GateStarted(Event):
    """A gate started without streams. Streams that an earlier process held at this address are closed, whatever ended
    that process.
    """

    type_name: ClassVar[str] = "mlpgateway.gate_started.v1"
    topic: ClassVar[Topic] = CONNECTIONS

    gate: str
    occurred_at: Moment

    @property
    def key(self) -> str:
        return self.gate


class GateMembersChanged(Event):
    """The set of live gates, as `host:port` addresses that instances can reach."""

    type_name: ClassVar[str] = "mlpgateway.gate_members_changed.v1"
    topic: ClassVar[Topic] = CONNECTIONS

    members: tuple[str, ...]
    occurred_at: Moment

    @property
    def key(self) -> str:
        return "gates"


class WakeUpWanted(Event):
    """A call came for a model that has no instance at any gate. `caller_account_id` made the call."""

    type_name: ClassVar[str] = "mlpgateway.wake_up_wanted.v1"
    topic: ClassVar[Topic] = WAKE_UPS

    account_id: int
    model_id: int
    caller_account_id: int
    occurred_at: Moment

    @property
    def key(self) -> str:
        return str(self.model_id)


class KeySpendingNoticed(Event):
    """A spending limit of a key that pays is nearly used up or, with `exhausted`, too small for a call.

    Gates repeat this event while the state lasts.
    """

    type_name: ClassVar[str] = "mlpgateway.key_spending_noticed.v1"
    topic: ClassVar[Topic] = KEY_SPENDING

    account_id: int
    key_id: int
    rule: SpendingRule
    exhausted: bool
    occurred_at: Moment

    @property
    def key(self) -> str:
        return str(self.key_id)


class ChargeCapped(Event):
    """A service reported a higher price of a call than is charged. The owner of the model is `account_id`, and gets
    only what is charged.

    Gates repeat this event while it goes on.
    """

    type_name: ClassVar[str] = "mlpgateway.charge_capped.v1"
    topic: ClassVar[Topic] = CAPPED_CHARGES

    account_id: int
    model_id: int
    model_name: str
    request_id: str
    capped_by: CappedBy
    reported_amount_nano: int
    amount_nano: int
    currency: Currency
    occurred_at: Moment

    @property
    def key(self) -> str:
        return str(self.model_id)


class CallsFailed(Event):
    """Calls that a service failed, for statistics: it answered with an error of its own, with nothing proper, or not in
    time. A gate counts them for some seconds.
    """

    type_name: ClassVar[str] = "mlpgateway.calls_failed.v1"
    topic: ClassVar[Topic] = FAILED_CALLS

    account_id: int
    model_id: int
    count: int
    occurred_at: Moment

    @property
    def key(self) -> str:
        return str(self.model_id)
