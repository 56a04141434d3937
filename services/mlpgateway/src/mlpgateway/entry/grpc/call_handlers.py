"""Wraps every call of a gRPC client: admits it, and reports errors as messages, never as a gRPC status."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

import structlog

from mlpgateway.call.call import Caller
from mlpgateway.http2.errors import CallerLeft
from mlpgateway.instances.grpc.metrics import CLIENT_CALLS
from mlpgateway.policy.access.entrance import Holders
from mlpgateway.shares.admission import Admission
from mlplace_kit.errors import DomainError, InternalError

log = structlog.get_logger(__name__)

_Response = TypeVar("_Response")
_Answer = TypeVar("_Answer")


class CallHandlers:
    """Runs calls for the servicers of one gate."""

    def __init__(self, admission: Admission, holders: Holders) -> None:
        self._admission = admission
        self._holders = holders

    async def one(
        self,
        rpc: str,
        caller: Caller,
        answer: Callable[[], Awaitable[_Response]],
        refusal: Callable[[DomainError], _Response],
        *,
        size: int,
    ) -> _Response:
        """Runs a unary call. `size` is the size of the request in bytes."""
        try:
            with self._admission.enter(await self._holders.holder(caller), size) as entry:
                entry.holds(size)
                response = await answer()
        except Exception as error:  # noqa: BLE001  the caller gets an answer in any case
            return refusal(_understood(rpc, error))
        CLIENT_CALLS.labels(rpc, "ok").inc()
        return response

    async def many(
        self,
        rpc: str,
        caller: Caller,
        answers: Callable[[], Awaitable[AsyncGenerator[_Answer]]],
        write: Callable[[_Answer], Awaitable[None]],
        refuse: Callable[[DomainError], Awaitable[None]],
        *,
        size: int,
    ) -> None:
        """Runs a streaming call. `size` is the size of the first request in bytes; later ones are not kept."""
        try:
            with self._admission.enter(await self._holders.holder(caller), size) as entry:
                entry.holds(size)
                async with aclosing(await answers()) as stream:
                    async for answer in stream:
                        await write(answer)
        except CallerLeft:
            CLIENT_CALLS.labels(rpc, "left").inc()
            return
        except Exception as error:  # noqa: BLE001  the caller gets an answer in any case
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
