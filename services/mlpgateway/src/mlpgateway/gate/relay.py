"""Around every call of a gRPC client: admission, and errors as messages, never as a gRPC status."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

import structlog

from mlpgateway.gate.admission import Admission
from mlpgateway.gate.metrics import CLIENT_CALLS
from mlpgateway.proxy.call import Answer
from mlplace_kit.errors import DomainError, InternalError

log = structlog.get_logger(__name__)

_Response = TypeVar("_Response")


class Relay:
    """Runs calls for the servicers of one gate."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission

    async def one(
        self, rpc: str, answer: Callable[[], Awaitable[_Response]], refusal: Callable[[DomainError], _Response]
    ) -> _Response:
        try:
            with self._admission.enter():
                response = await answer()
        except Exception as error:  # noqa: BLE001  whatever happens, the caller gets an answer
            return refusal(_understood(rpc, error))
        CLIENT_CALLS.labels(rpc, "ok").inc()
        return response

    async def many(
        self,
        rpc: str,
        answers: Callable[[], AsyncGenerator[Answer]],
        write: Callable[[Answer], Awaitable[None]],
        refuse: Callable[[DomainError], Awaitable[None]],
    ) -> None:
        try:
            with self._admission.enter():
                async with aclosing(answers()) as stream:
                    async for answer in stream:
                        await write(answer)
        except Exception as error:  # noqa: BLE001  whatever happens, the caller gets an answer
            await refuse(_understood(rpc, error))
            return
        CLIENT_CALLS.labels(rpc, "ok").inc()


def _understood(rpc: str, error: Exception) -> DomainError:
    if isinstance(error, DomainError):
        CLIENT_CALLS.labels(rpc, "refused").inc()
        return error
    log.error("client_call_failed", rpc=rpc, exc_info=error)
    CLIENT_CALLS.labels(rpc, "failed").inc()
    return InternalError()
