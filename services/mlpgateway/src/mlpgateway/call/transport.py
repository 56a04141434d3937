"""The pipeline's interface to a transport: send a request to one instance and read its answers."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Protocol

import msgspec

from mlpgateway.call.call import Answer, HttpRequest, Operation, Payload
from mlpgateway.call.headers import of_refusal
from mlplace_kit.errors import DomainError


class InstanceRequest(msgspec.Struct, frozen=True):
    """The request that an instance receives. `config` is always present for predict (`{}` when there is none).

    With `http` the request is that HTTP request and `data` its body; only instances that speak HTTP receive one. With
    `whole` the caller reads the answer only when its last part is there.
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
    """An error answer of the instance itself, with the instance's code, message, status, args and headers.

    The caller gets all of them, of the headers those that `of_refusal` lets through.
    """

    def __init__(
        self, *, code: str, message: str, status: int, details: dict[str, str], headers: Mapping[str, str]
    ) -> None:
        self.code = code  # type: ignore[misc]  # the instance chooses the code
        self.status = status  # type: ignore[misc]  # and the status
        self.headers = headers
        self.answer_headers = of_refusal(headers)
        self._message = message
        super().__init__(**details)

    @property
    def text(self) -> str:
        return self._message


class NotTakenError(Exception):
    """The receiver did not begin the call. It may be sent to any other instance, any number of times."""


class InstanceLink(Protocol):
    """A connected instance, at this gate or at another one."""

    @property
    def instance_id(self) -> int | None:
        """The id; None until another gate has chosen the instance, which the first answer tells."""
        ...

    @property
    def model_id(self) -> int: ...

    @property
    def active_requests(self) -> int: ...

    @property
    def accepts_requests(self) -> bool:
        """False once the instance or this gate shuts down."""
        ...

    def send(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        """Sends the request and yields the answers. Close the generator (`aclosing`): later answers are dropped.

        Raises InstanceError for an error answer, ChannelClosed when the stream breaks, NotTakenError.
        """
        ...


class StreamedInputLink(InstanceLink, Protocol):
    """A connected instance that also takes a request in several parts."""

    def send_stream(self, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        """Like `send`, but the data comes from `inputs`, which is closed at the end. `request.data` is not used.

        Raises a DomainError of `inputs` to the reader of the answers.
        """
        ...


class BatchLink(InstanceLink, Protocol):
    """A connected instance that may also take several requests at once."""

    @property
    def takes_batches(self) -> bool: ...

    def refuse_batches(self) -> None:
        """Stops sending batches: the instance refused one although its descriptor lists predict_batch."""
        ...

    def send_batch(self, requests: Sequence[InstanceRequest]) -> Sequence[AsyncGenerator[Answer]]:
        """Like `send`, for predict requests with equal config. Returns the answers of each, in the same order."""
        ...


class ToldRequest(Protocol):
    """One request whose answers are told to callbacks, in the turn of the event loop in which they arrive.

    `answered` gets each answer, and `failed` an error instead of the last one; nothing follows after the last answer,
    an error or `abandon`.
    """

    def abandon(self) -> None:
        """Drops later answers: nobody waits for them any more."""
        ...


class InstanceLinks(Protocol):
    """The connected instances of this gate."""

    def of_model(self, model_id: int) -> list[InstanceLink]: ...
