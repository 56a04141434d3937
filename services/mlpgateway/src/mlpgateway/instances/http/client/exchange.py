"""Sends a request over a pool, in the coroutine style."""

from mlpgateway.instances.http.client.connection import HttpConnection
from mlpgateway.instances.http.client.errors import ConnectionLostError
from mlpgateway.instances.http.client.limits import CONNECT_SECONDS
from mlpgateway.instances.http.client.pool import Pool
from mlpgateway.instances.http.client.request import OutgoingRequest, head_of
from mlpgateway.instances.http.client.response import Response


async def exchange(
    pool: Pool, request: OutgoingRequest, *, urgent: bool = False, connect_seconds: float = CONNECT_SECONDS
) -> Response:
    """Sends the request and returns the answer when its head has arrived.

    An idle connection may be closed by the instance just when the request is sent. Then a repeatable request is sent
    once more, on a new connection. `urgent`: see `Pool.connection`.

    Raises InvalidRequestError, NotConnectedError, ConnectionLostError, InvalidAnswerError, AddressNotAllowed, and an
    error of the request's body.
    """
    head = head_of(request, pool.authority)
    connection = pool.take() or await pool.connection(urgent=urgent, seconds=connect_seconds)
    try:
        return await _sent(connection, head, request)
    except ConnectionLostError as lost:
        if not (lost.is_stale and request.repeatable and (request.body is None or isinstance(request.body, bytes))):
            raise
    connection = await pool.connection(urgent=urgent, fresh=True, seconds=connect_seconds)
    return await _sent(connection, head, request)


async def _sent(connection: HttpConnection, head: bytes, request: OutgoingRequest) -> Response:
    response = Response(connection)
    response.send(head, request)
    try:
        await response.begun()
    except BaseException:
        await response.close()
        raise
    return response
