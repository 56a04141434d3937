"""What all events share: frozen, past tense, versioned by their type name, changed only by adding optional fields."""

import uuid
from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from mlplace_contracts.moment import Moment as Moment  # noqa: PLC0414  events of all owners import it from here
from mlplace_contracts.topics import Topic


class Event(BaseModel):
    """Readers ignore unknown fields, so that a newer writer does not stop an older reader."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type_name: ClassVar[str]
    topic: ClassVar[Topic]

    @property
    def key(self) -> str:
        """Events of one key are delivered in order."""
        raise NotImplementedError(type(self).__name__)


class StateEvent(Event):
    """Carries the whole state of its object. A lower `version` never overwrites a higher one."""

    version: int


class Envelope(BaseModel):
    """An event on its way: identity, time and trace context around the payload."""

    model_config = ConfigDict(frozen=True)

    event_id: uuid.UUID
    type_name: str
    occurred_at: Moment
    trace_parent: str | None = None
    payload: Mapping[str, object]
