"""Scenarios of models that speak HTTP: calls that are translated, and requests and WebSockets that are passed on."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial

import aiohttp
import grpc
import pytest
from aiohttp import web

from mlplace_contracts.limits import KeyLimits, SizeRule
from mlplace_gateproto import codes
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_kit.clock import SystemClock
from mlplace_kit.passes import PagePass
from tests.settlement.case import CUSTOM, Case
from tests.settlement.entries import (
    FAILING_OVER_HTTP,
    TAKING_PARTS,
    fails_over_http_at,
    half_an_answer_over_http_at,
    parts_over_http_at,
)
from tests.settlement.http_server import (
    ERROR_EVENT,
    MOST_OF_A_CALLER,
    Answering,
    answer,
    cut,
    error,
    events,
    half_an_answer,
    serving,
    talk,
)
from tests.settlement.installation import PATIENCE
from tests.settlement.paths import STREAM, Path
from tests.settlement.table import UNITS
from tests.settlement.ways import WAYS, over_grpc

PASSED_ON = Path("http/x", {"text": "hi"})
_PART = 'data: "part"\n\n'
_TESTED_BY_PEOPLE = {"public_testing_allowed": True}


async def answered_over_http(case: Case) -> None:
    async with serving(case, answer):
        assert (await case.call()).text == '"done"'


async def streamed_over_http(case: Case) -> None:
    async with serving(case, events(_PART, _PART)):
        assert (await case.call(STREAM)).text.splitlines() == ['"part"', '"part"']


async def custom_units_over_http(case: Case) -> None:
    async with serving(case, events(_PART, Z_custom_billing=str(UNITS)), billing=CUSTOM):
        assert (await case.call(STREAM)).text.splitlines() == ['"part"']


async def request_passed_on(case: Case) -> None:
    async with serving(case, half_an_answer):
        assert (await case.call(PASSED_ON)).text == '{"done":', "it is not read"


async def request_passed_on_again_with_a_key(case: Case) -> None:
    """The key is for the server, which gets it with each request."""
    keys: list[str | None] = []

    async def answering(request: web.Request) -> web.StreamResponse:
        keys.append(request.headers.get("Idempotency-Key"))
        return await answer(request)

    async with serving(case, answering):
        for _ in range(2):
            assert (await case.call(PASSED_ON, MLP_API_KEY=case.key, Idempotency_Key="once")).status_code == 200
    assert keys == ["once", "once"]


async def page_loaded(case: Case) -> None:
    async with serving(case, answer, publicity=_TESTED_BY_PEOPLE):
        assert [await _asked_by_the_page(case, method) for method in ("GET", "HEAD")] == [200, 200]


async def page_calls(case: Case) -> None:
    async with serving(case, answer, publicity=_TESTED_BY_PEOPLE):
        assert await _asked_by_the_page(case, "POST") == 200


async def page_opens_a_socket(case: Case) -> None:
    async with serving(case, talk, publicity=_TESTED_BY_PEOPLE):
        assert await _closed_with(case, "close", _page(case)) == 1000


async def _asked_by_the_page(case: Case, method: str) -> int:
    """Returns the status."""
    return (await case.installation.client.request(method, _page(case))).status_code


def _page(case: Case) -> str:
    """Returns an address at the page that a member of the payer's account views, without a key or session."""
    made = PagePass.until(SystemClock().now(), account_id=case.payer, owner_id=case.owner, model_id=case.model)
    return f"{case.installation.gateway.url}/api/mlpgateway/application/{made.signed(case.installation.hasher)}/x"


async def socket_closed(case: Case) -> None:
    async with serving(case, talk):
        assert await _closed_with(case, "close") == 1000


async def socket_closed_by_the_caller_before_a_message(case: Case) -> None:
    async with serving(case, talk):
        assert await _ended_by(case, None) == 1000
        await case.installation.no_call_in_progress()


async def too_large_message_of_the_caller_before_a_message(case: Case) -> None:
    """The caller may see a lost connection instead of the code: the close comes at the beginning of the message."""
    async with serving(case, talk):
        await _ended_by(case, bytes(MOST_OF_A_CALLER + 1))
        await case.installation.no_call_in_progress()


async def too_large_message_of_the_caller_after_a_message(case: Case) -> None:
    async with serving(case, talk):
        await _ended_by(case, bytes(MOST_OF_A_CALLER + 1), answered=True)
        await case.installation.no_call_in_progress()


async def message_above_the_keys_size(case: Case) -> None:
    async with serving(case, talk):
        case.key = await case.another_key(case.payer, limits=KeyLimits(size=SizeRule(most=6, unit="BYTES")))
        assert await _ended_by(case, b"7 bytes") == 1009


async def message_above_the_keys_size_after_a_message(case: Case) -> None:
    async with serving(case, talk):
        case.key = await case.another_key(case.payer, limits=KeyLimits(size=SizeRule(most=6, unit="BYTES")))
        assert await _ended_by(case, b"1", answered=True) == 1009


async def too_large_message_of_the_model(case: Case) -> None:
    async with serving(case, talk):
        assert await _ended_by(case, "say too much") == 1009


async def too_large_message_of_the_model_after_a_message(case: Case) -> None:
    async with serving(case, talk):
        assert await _ended_by(case, "say too much", answered=True) == 1009


async def error_of_a_request_passed_on(case: Case) -> None:
    async with serving(case, error):
        await case.refused(400, "acme.broken", PASSED_ON)


async def error_event_over_http(case: Case) -> None:
    async with serving(case, events(_PART, ERROR_EVENT)):
        said = (await case.call(STREAM)).text.splitlines()
        assert (said[0], len(said), "acme.broken" in said[1]) == ('"part"', 2, True)


async def socket_refused(case: Case) -> None:
    async with serving(case, error):
        with pytest.raises(aiohttp.WSServerHandshakeError, match="400"):
            await _closed_with(case, "close")


async def half_an_event_over_http(case: Case) -> None:
    async with serving(case, events(_PART, 'data: {"n":\n\n')):
        said = (await case.call(STREAM)).text.splitlines()
        assert (said[0], len(said), codes.INTERNAL_ERROR in said[1]) == ('"part"', 2, True)


async def answer_cut_over_http(case: Case) -> None:
    async with serving(case, cut):
        await case.refused(503, codes.CHANNEL_CLOSED)


async def socket_lost(case: Case) -> None:
    async with serving(case, talk):
        assert await _closed_with(case, "break off") == 1011


async def client_gone_from_a_socket(case: Case) -> None:
    """After messages in both directions."""
    await _breaks_off(case, "answer")


async def client_gone_from_a_socket_before_a_message(case: Case) -> None:
    await _breaks_off(case)


async def _breaks_off(case: Case, *messages: str) -> None:
    """The caller's connection breaks after these messages and their answers."""
    async with serving(case, talk), aiohttp.ClientSession() as session:
        url = PASSED_ON.url(case.installation.gateway.url, case.owner, case.model)
        socket = await session.ws_connect(url, headers={"MLP-API-KEY": case.key})
        for message in messages:
            await socket.send_str(message)
            assert await socket.receive_str(timeout=PATIENCE) == message
        assert session.connector is not None
        await session.connector.close()
        await case.installation.no_call_in_progress()


async def _ended_by(case: Case, message: str | bytes | None, *, answered: bool = False) -> int | None:
    """Sends the message, or for None closes, at once or after an answer of the model. Returns the close code."""
    url = PASSED_ON.url(case.installation.gateway.url, case.owner, case.model)
    async with aiohttp.ClientSession() as session, session.ws_connect(url, headers={"MLP-API-KEY": case.key}) as socket:
        if answered:
            await socket.send_str("answer")
            assert await socket.receive_str(timeout=PATIENCE) == "answer"
        with suppress(ConnectionError):
            if message is None:
                await socket.close()
            elif isinstance(message, str):
                await socket.send_str(message)
            else:
                await socket.send_bytes(message)
        await socket.receive()
        return socket.close_code


async def _closed_with(case: Case, message: str, page: str = "") -> int | None:
    """Says something at the model's WebSocket, with the payer's key or from a page. Returns the code with which it is
    closed.
    """
    url = page or PASSED_ON.url(case.installation.gateway.url, case.owner, case.model)
    headers = {} if page else {"MLP-API-KEY": case.key}
    async with aiohttp.ClientSession() as session, session.ws_connect(url, headers=headers) as socket:
        await socket.send_str(message)
        await socket.receive()
        return socket.close_code


async def _fails(name: str, answering: Answering, code: str, status: int, case: Case) -> None:
    way = WAYS[name]
    async with serving(case, answering):
        if isinstance(way, Path):
            await case.refused(status, code, way)
            return
        async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
            assert await way(GateStub(channel), case, {}) == (code, status)


async def _takes_no_parts(name: str, case: Case) -> None:
    async with serving(case, error), grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        assert await over_grpc(name)(GateStub(channel), case, {}) == (codes.METHOD_NOT_SUPPORTED, 400)


SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{fails_over_http_at(name): partial(_fails, name, error, "acme.broken", 400) for name in FAILING_OVER_HTTP},
    **{
        half_an_answer_over_http_at(name): partial(_fails, name, half_an_answer, codes.INTERNAL_ERROR, 502)
        for name in FAILING_OVER_HTTP
    },
    **{parts_over_http_at(name): partial(_takes_no_parts, name) for name in TAKING_PARTS},
}
