"""The messages of gates about calls: the hot path's own objects as MessagePack, so that nothing is lost.

During an upgrade, gates of two versions talk to each other: fields may be added with a default, but never renamed.
"""

from typing import Final, Literal

import msgspec

from mlpgateway.call.call import Answer, Call, InputPart
from mlpgateway.call.transport import InstanceError, InstanceRequest, NotTakenError
from mlpgateway.delivery.remote_slots import Granted, SlotRequest
from mlplace_kit.errors import DomainError

Way = Literal["unary", "stream", "duplex"]


class Forwarded(msgspec.Struct):
    """An admitted call for an instance of the other gate. `in_parts`: the data follows as InputParts."""

    request: InstanceRequest
    in_parts: bool = False


class Entrusted(msgspec.Struct):
    """A call with its caller's credentials, for another gate to authenticate and serve: this gate is not ready yet.

    With the way `duplex`, InputParts follow.
    """

    call: Call
    way: Way


class AnswerMessage(msgspec.Struct, tag="said"):
    answer: Answer


class Failed(msgspec.Struct, tag="failed"):
    """The error that ended a call.

    `taken` False: nothing was done with it. `of_instance`: it is the instance's error.
    """

    code: str
    status: int
    message: str
    details: dict[str, str]
    headers: dict[str, str] = {}
    retry_after_seconds: float | None = None
    of_instance: bool = False
    taken: bool = True


class Reach(msgspec.Struct):
    """Changes to the set of models that a gate has instances of, at first empty. `ready`: it can authenticate calls."""

    ready: bool
    add: list[int] = []
    gone: list[int] = []


encode: Final = msgspec.msgpack.Encoder().encode
forwarded: Final = msgspec.msgpack.Decoder(Forwarded).decode
entrusted: Final = msgspec.msgpack.Decoder(Entrusted).decode
input_part: Final = msgspec.msgpack.Decoder(InputPart).decode
outcome: Final = msgspec.msgpack.Decoder(AnswerMessage | Failed).decode
slot_answer: Final = msgspec.msgpack.Decoder(Granted | Failed).decode
wanted: Final = msgspec.msgpack.Decoder(SlotRequest).decode
reach: Final = msgspec.msgpack.Decoder(Reach).decode


class PeerError(DomainError):
    """The error with which the other gate refused the call: its code, status, message and args."""

    def __init__(self, failed: Failed) -> None:
        self.code = failed.code  # type: ignore[misc]  # the other gate's error
        self.status = failed.status  # type: ignore[misc]
        self.retry_after_seconds = failed.retry_after_seconds
        self._message = failed.message
        super().__init__(**failed.details)

    @property
    def text(self) -> str:
        return self._message


def failed_with(error: DomainError, *, taken: bool = True) -> Failed:
    of_instance = isinstance(error, InstanceError)
    return Failed(
        code=error.code,
        status=error.status,
        message=error.text,
        details=error.details,
        headers=dict(error.headers) if of_instance else {},
        retry_after_seconds=error.retry_after_seconds,
        of_instance=of_instance,
        taken=taken,
    )


def error_of(failed: Failed) -> DomainError | NotTakenError:
    if not failed.taken:
        return NotTakenError(failed.code)
    if not failed.of_instance:
        return PeerError(failed)
    return InstanceError(
        code=failed.code,
        message=failed.message,
        status=failed.status,
        details=failed.details,
        headers=failed.headers,
    )
