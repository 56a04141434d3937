"""What the hot path asks of a transport: send one call to one instance, read the messages that come back."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Protocol

import msgspec

from mlpgateway.call.call import Answer, HttpRequest, Operation, Payload
from mlplace_kit.errors import DomainError


class InstanceRequest(msgspec.Struct, frozen=True):
    """What goes to the instance. `config` is always present for predict (`{}` when there is none).

    With `http` it is that request, and `data` its body; only instances that speak HTTP get one. With `whole` nobody
    reads the answer before its last part.
    """

    operation: Operation
    data: Payload | None
    config: Payload | None
    method_name: str | None
    params: Mapping[str, Payload]
    headers: Mapping[str, str]
    http: HttpRequest | None = None
    whole: bool = False


class InstanceError(DomainError):
    """An error answer of the instance itself: its own code, message, status and args, plus its headers."""

    def __init__(
        self, *, code: str, message: str, status: int, details: dict[str, str], headers: Mapping[str, str]
    ) -> None:
        self.code = code  # type: ignore[misc]  # the instance chooses the code
        self.status = status  # type: ignore[misc]  # and the status
        self.headers = headers
        self._message = message
        super().__init__(**details)

    @property
    def text(self) -> str:
        return self._message


class NotTakenError(Exception):
    """Whoever was to deliver the call did nothing with it: it may go to anybody else, however often."""


class InstanceLink(Protocol):
    """A connected instance, here or at another gate."""

    @property
    def instance_id(self) -> int | None:
        """None until another gate has chosen one, which is known with the first answer."""
        ...

    @property
    def model_id(self) -> int: ...

    @property
    def active_requests(self) -> int: ...

    @property
    def accepts_requests(self) -> bool:
        """False once the instance or this gate is leaving."""
        ...

    def send(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        """Send the request now; iterate over the answers. Close it (`aclosing`): that drops what comes later.

        Raises InstanceError for an error answer, ChannelClosed when the stream breaks, NotTakenError.
        """
        ...


class StreamedInputLink(InstanceLink, Protocol):
    """A connected instance that also takes a request in parts."""

    def send_stream(self, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        """As `send`; the data comes from `inputs`, which is closed at the end, and `request.data` is not used.

        A DomainError out of `inputs` is raised to whoever reads the answers.
        """
        ...


class BatchLink(InstanceLink, Protocol):
    """A connected instance that may also take several requests at once."""

    @property
    def takes_batches(self) -> bool: ...

    def refuse_batches(self) -> None:
        """The instance has said that it takes none, against what it listed."""
        ...

    def send_batch(self, requests: Sequence[InstanceRequest]) -> Sequence[AsyncGenerator[Answer]]:
        """As `send`, for predict requests with one and the same config. The answers of each, in the same order."""
        ...


class InstanceLinks(Protocol):
    """The connected instances of this gate."""

    def of_model(self, model_id: int) -> list[InstanceLink]: ...
