"""The catalogue of events. A type that is not in `EVENT_TYPES` cannot be published or read."""

from mlplace_contracts.events.accounts import AccountChanged, MembershipChanged, SessionRevoked, UserChanged
from mlplace_contracts.events.base import Envelope, Event, StateEvent
from mlplace_contracts.events.billing import BalanceChanged, RefillDone
from mlplace_contracts.events.core import (
    AccountLimitsChanged,
    ApiKeyChanged,
    InstanceChanged,
    ModelBatches,
    ModelBilling,
    ModelChanged,
    ModelPriorityQueue,
    ModelPublicity,
    ModelRetries,
    ModelTimeouts,
    PredictConfigChanged,
    RentChanged,
)
from mlplace_contracts.events.gateway import (
    GateMembersChanged,
    GateStarted,
    InstanceConnected,
    InstanceLost,
    UsageRecorded,
    WakeUpWanted,
)

EVENT_TYPES: dict[str, type[Event]] = {
    event.type_name: event
    for event in (
        AccountChanged,
        UserChanged,
        MembershipChanged,
        SessionRevoked,
        AccountLimitsChanged,
        ModelChanged,
        PredictConfigChanged,
        ApiKeyChanged,
        InstanceChanged,
        UsageRecorded,
        InstanceConnected,
        InstanceLost,
        WakeUpWanted,
        GateStarted,
        GateMembersChanged,
        BalanceChanged,
        RefillDone,
        RentChanged,
    )
}


def encode(envelope: Envelope) -> bytes:
    return envelope.model_dump_json().encode()


def decode(data: bytes) -> tuple[Envelope, Event | None]:
    """The envelope and its event; None for a type that this build does not know (a newer writer)."""
    envelope = Envelope.model_validate_json(data)
    event_type = EVENT_TYPES.get(envelope.type_name)
    return envelope, event_type.model_validate(envelope.payload) if event_type else None


__all__ = [
    "EVENT_TYPES",
    "AccountChanged",
    "AccountLimitsChanged",
    "ApiKeyChanged",
    "BalanceChanged",
    "Envelope",
    "Event",
    "GateMembersChanged",
    "GateStarted",
    "InstanceChanged",
    "InstanceConnected",
    "InstanceLost",
    "MembershipChanged",
    "ModelBatches",
    "ModelBilling",
    "ModelChanged",
    "ModelPriorityQueue",
    "ModelPublicity",
    "ModelRetries",
    "ModelTimeouts",
    "PredictConfigChanged",
    "RefillDone",
    "RentChanged",
    "SessionRevoked",
    "StateEvent",
    "UsageRecorded",
    "UserChanged",
    "WakeUpWanted",
    "decode",
    "encode",
]
