"""What gates say to each other about calls: the hot path's own objects as MessagePack, so that nothing gets lost.

Gates of two versions speak to each other during an upgrade: fields may be added with a default, never renamed.
"""

from typing import Final, Literal

import msgspec

from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.transport import InstanceError, InstanceRequest, NotTakenError
from mlpgateway.delivery.remote_slots import Granted, Wanted
from mlplace_kit.errors import DomainError

Way = Literal["unary", "stream", "duplex"]


class Forwarded(msgspec.Struct):
    """A call that one gate has let in, for an instance of the other. `in_parts`: the data follows, as Payloads."""

    request: InstanceRequest
    in_parts: bool = False


class Entrusted(msgspec.Struct):
    """A call that one gate cannot judge yet, with its caller's credentials. With the way `duplex` Payloads follow."""

    call: Call
    way: Way


class Said(msgspec.Struct, tag="said"):
    answer: Answer


class Failed(msgspec.Struct, tag="failed"):
    """The end of a call. `taken` is false when nothing was done with it; `of_instance` when the instance said it."""

    code: str
    status: int
    message: str
    details: dict[str, str]
    headers: dict[str, str] = {}
    retry_after_seconds: float | None = None
    of_instance: bool = False
    taken: bool = True


class Reach(msgspec.Struct):
    """Changes of the models that a gate has instances of, the first from none at all. `ready`: it can judge calls."""

    ready: bool
    add: list[int] = []
    gone: list[int] = []


encode: Final = msgspec.msgpack.Encoder().encode
forwarded: Final = msgspec.msgpack.Decoder(Forwarded).decode
entrusted: Final = msgspec.msgpack.Decoder(Entrusted).decode
payload: Final = msgspec.msgpack.Decoder(Payload).decode
outcome: Final = msgspec.msgpack.Decoder(Said | Failed).decode
lent: Final = msgspec.msgpack.Decoder(Granted | Failed).decode
wanted: Final = msgspec.msgpack.Decoder(Wanted).decode
reach: Final = msgspec.msgpack.Decoder(Reach).decode


class PeerError(DomainError):
    """What the other gate refused the call with: its code, status, message and args."""

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
