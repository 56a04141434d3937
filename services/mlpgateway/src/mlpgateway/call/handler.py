"""The interface through which entry points (HTTP, gRPC) have a call served."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any, Protocol

from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.error_bodies import error_in
from mlpgateway.call.identity import Identity
from mlpgateway.errors.gate import UnexpectedAnswer

Shape = Callable[[Answer], Answer | Awaitable[Answer]]
"""Brings an answer of a model, or a part of one, into the form of an entry, with the same headers.

A large answer may take several turns of the event loop. Raises DomainError if it has no such form: that is an error of
the call, which costs nothing. The exception is a call that a gate entrusts to another one while it starts: the other
gate knows no shapes and charges the answer.
"""


def unchanged(answer: Answer) -> Answer:
    return answer


async def shaped(answer: Answer, shape: Shape) -> Answer:
    """Returns the answer in its shape. Raises like the shape, and InstanceError where the answer holds an error."""
    made = begin_shape(answer, shape)
    return made if isinstance(made, Answer) else await made


def begin_shape(answer: Answer, shape: Shape) -> Answer | Awaitable[Answer]:
    """Like `shaped`, for code that has a task only for answers that take several turns."""
    try:
        made = shape(answer)
    except UnexpectedAnswer as unexpected:
        raise error_in(answer) or unexpected from None
    return made if isinstance(made, Answer) else _Shaped(answer, made)


class _Shaped(Awaitable[Answer]):
    """Begins when it is awaited: the caller may leave before."""

    def __init__(self, answer: Answer, made: Awaitable[Answer]) -> None:
        self._answer = answer
        self._made = made

    def __await__(self) -> Generator[Any, None, Answer]:
        return self._end().__await__()

    async def _end(self) -> Answer:
        try:
            return await self._made
        except UnexpectedAnswer as unexpected:
            raise error_in(self._answer) or unexpected from None


class ChecksCallers(Protocol):
    async def expect_allowed(self, call: Call, identity: Identity) -> None:
        """Raises the errors of a call that may not be made: by this caller, from there, with that payer."""
        ...


class CallHandler(Protocol):
    """Serves calls. Raises DomainError for refusals and failures.

    Streams are generators. The caller of `stream` and `duplex` must close them (`contextlib.aclosing`), even before
    their end: this ends and settles the call when its client leaves.
    """

    async def unary(self, call: Call, shape: Shape = unchanged) -> Answer:
        """Returns the answer of the call in its shape. If the instance sends partial answers, returns the last one."""
        ...

    def stream(self, call: Call, shape: Shape = unchanged) -> AsyncGenerator[Answer]:
        """Yields the answers as they come, each in its shape; the last one has `last` set."""
        ...

    def duplex(self, call: Call, inputs: AsyncGenerator[Payload], shape: Shape = unchanged) -> AsyncGenerator[Answer]:
        """Like `stream`, for a call whose input comes in parts. `call.data` is None: `inputs` yields the data.

        `inputs` may raise DomainError when the caller sends something invalid; the call then ends with that error.
        """
        ...
