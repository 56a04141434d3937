"""Scenarios of models that speak HTTP and whose instance, or the connection to it, is lost before it answers."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import httpx
from aiohttp import web

from mlplace_gateproto import codes
from mlplace_testing.waiting import eventually
from tests.settlement.case import Case
from tests.settlement.entries import REPEATABLE, sent_elsewhere_at
from tests.settlement.http_server import Answering, answer, break_off, error, serving
from tests.settlement.installation import PATIENCE
from tests.settlement.paths import PREDICT, STREAM, Path, Query

_PROBE = Path("http/probe", {})


class _Head(Query):
    method = "HEAD"


class _Options(Query):
    method = "OPTIONS"


class _Delete(Query):
    method = "DELETE"


_SAFE: Mapping[str, Path] = {kind.method: kind("http/x", {}) for kind in (Query, _Head, _Options)}


class TwoServers:
    """Two instances of a model. The first one that gets a call loses every connection on which it gets one."""

    def __init__(self) -> None:
        self.found: set[int] = set()
        self.asked: list[int] = []

    def answering(self, number: int) -> Answering:
        async def answering(request: web.Request) -> web.StreamResponse:
            if request.path == "/probe":
                self.found.add(number)
                return await error(request)
            self.asked.append(number)
            return await (break_off if number == self.asked[0] else answer)(request)

        return answering

    async def are_found(self, case: Case) -> None:
        """Sends calls that fail until the gate has found both."""

        async def probed() -> set[int]:
            await case.refused(400, "acme.broken", _PROBE)
            return self.found

        await eventually(probed, until=lambda found: len(found) > 1, seconds=PATIENCE)


async def _of_two(case: Case, path: Path) -> tuple[httpx.Response, TwoServers]:
    """Returns the answer of a call whose instance is lost."""
    servers = TwoServers()
    async with serving(case, *map(servers.answering, range(2))):
        await servers.are_found(case)
        return await case.call(path), servers


async def _sent_elsewhere(path: Path, case: Case) -> None:
    said, servers = await _of_two(case, path)
    assert (said.status_code, {*servers.asked}) == (200, {0, 1})


async def _not_sent_elsewhere(path: Path, case: Case) -> None:
    """The gate cannot know what the instance has done before it was lost."""
    said, servers = await _of_two(case, path)
    assert (said.status_code, said.json()["code"], len(servers.asked)) == (503, codes.CHANNEL_CLOSED, 1)


async def idle_connection_closed(case: Case) -> None:
    """The only instance closes a connection that it has used when another request comes. The gate opens a new one."""
    used: set[object] = set()
    closed = False

    async def answering(request: web.Request) -> web.StreamResponse:
        nonlocal closed
        if closed:
            return await answer(request)
        closed = request.transport in used
        used.add(request.transport)
        return await (break_off if closed else error)(request)

    async with serving(case, answering):
        # A connection that is idle for seconds is closed by the gate.
        found = await eventually(
            partial(case.call, _SAFE["GET"]), until=lambda said: said.status_code != 400, seconds=PATIENCE
        )
    assert (found.status_code, closed) == (200, True)


SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{sent_elsewhere_at(method): partial(_sent_elsewhere, _SAFE[method]) for method in REPEATABLE},
    "request_with_an_effect_lost": partial(_not_sent_elsewhere, _Delete("http/x", {})),
    "request_with_a_body_lost": partial(_not_sent_elsewhere, Path("http/x", {})),
    "retried_over_http": partial(_sent_elsewhere, PREDICT),
    "retried_stream_over_http": partial(_sent_elsewhere, STREAM),
}
