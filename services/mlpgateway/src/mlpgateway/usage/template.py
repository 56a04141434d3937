"""Usage records that are filled in, not built: most of a record is the same for all calls of one caller and model."""

import random
import uuid
from datetime import UTC, datetime
from typing import Final

import msgspec

from mlpgateway.usage.frames import FrameOf
from mlplace_contracts.events import UsageRecorded, encode_event
from mlplace_kit.ids import new_event_id_text, new_usage_id_text

_json = msgspec.json.Encoder().encode


def _mark() -> uuid.UUID:
    return uuid.UUID(int=random.getrandbits(128))


_EVENT_ID, _USAGE_ID, _RESERVATION = _mark(), _mark(), _mark()
_TRACE, _REQUEST = str(_mark()), str(_mark())
_INSTANCE, _MODEL_TIME = (random.randrange(10**17, 10**18) for _ in range(2))  # noqa: S311
_WRITTEN, _OCCURRED = (datetime(2000, 1, 1, tzinfo=UTC).replace(microsecond=us) for us in (123457, 765433))


def moment_text(moment: datetime) -> str:
    """Returns the moment as events write it."""
    return f"{moment.astimezone(UTC).isoformat()[:-6]}Z"


_PLACES: Final = (
    str(_EVENT_ID), moment_text(_WRITTEN), f'"{_TRACE}"', str(_USAGE_ID), moment_text(_OCCURRED), f'"{_REQUEST}"',
    str(_INSTANCE), f'"{_RESERVATION}"', str(_MODEL_TIME),
)  # fmt: skip
"""The marks in the order in which `encode_event` writes them."""


class UsageTemplate:
    """The record of one event, with places for what differs between calls: ids, time, trace, instance, reservation.

    The event's own encoder writes the text around the places, so a record is the same as that of the event.
    """

    __slots__ = ("_frame", "_text")

    def __init__(self, usage: UsageRecorded) -> None:
        marked = usage.model_copy(
            update={
                "usage_id": _USAGE_ID,
                "occurred_at": _OCCURRED,
                "request_id": _REQUEST,
                "instance_id": _INSTANCE,
                "reservation_id": _RESERVATION,
                "model_time_ms": _MODEL_TIME,
            }
        )
        text = encode_event(marked, event_id=_EVENT_ID, occurred_at=_WRITTEN, trace_parent=_TRACE)
        pieces: list[bytes] = []
        for mark in _PLACES:
            before, found, text = text.partition(mark.encode())
            if not found:
                raise AssertionError(f"the encoder does not write {mark} where it is expected")
            pieces.append(before)
        self._text = b"%b".join(piece.replace(b"%", b"%%") for piece in (*pieces, text))
        self._frame = FrameOf(usage.topic.name, usage.key)

    def record(
        self,
        *,
        request_id: str,
        now: datetime,
        trace_parent: str | None,
        instance_id: int | None,
        reservation_id: uuid.UUID | None,
        model_time_ms: int,
    ) -> bytes:
        """Returns a frame of the spool: the usage of one call with new ids."""
        moment = moment_text(now).encode()
        return self._frame.around(
            self._text
            % (
                new_event_id_text().encode(),
                moment,
                _json(trace_parent),
                new_usage_id_text().encode(),
                moment,
                _json(request_id),
                b"null" if instance_id is None else b"%d" % instance_id,
                b"null" if reservation_id is None else b'"%b"' % str(reservation_id).encode(),
                b"%d" % model_time_ms,
            )
        )
