"""Base classes of events. Events are frozen, named in the past tense and versioned by their type name. A version
changes only by gaining optional fields.
"""

import uuid
from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from mlplace_contracts.moment import Moment as Moment  # noqa: PLC0414  events of all owners import it from here
from mlplace_contracts.topics import Topic


class Event(BaseModel):
    """Base of all events. Readers ignore unknown fields, so that a newer writer does not stop an older reader."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type_name: ClassVar[str]
    topic: ClassVar[Topic]

    @property
    def key(self) -> str:
        """Returns the key by which the bus orders events: events of one key arrive in the order of publication."""
        raise NotImplementedError(type(self).__name__)


class StateEvent(Event):
    """Carries the whole state of its object. A reader never lets a lower `version` overwrite a higher one."""

    version: int


class Envelope(BaseModel):
    """An event with its id, its time and the trace context of its writer."""

    model_config = ConfigDict(frozen=True)

    event_id: uuid.UUID
    type_name: str
    occurred_at: Moment
    trace_parent: str | None = None
    payload: Mapping[str, object]
