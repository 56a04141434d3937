"""The corpus of requests against the edge, with the server of a service behind it: both must see the same requests."""

from collections.abc import AsyncIterator

import pytest
from wire import request

from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from mlplace_testing.http_corpus import CASES
from mlplace_testing.http_corpus.model import Case, Front
from mlplace_testing.http_corpus.observed import Recorder, observed
from mlplace_testing.servers.nginx import Launcher, Nginx

SERVICES = ("ACCOUNTSADMIN", "MLPCORE", "MLPGATEWAY", "MLPBILLING")


@pytest.fixture(scope="module")
async def recorded(launcher: Launcher) -> AsyncIterator[tuple[int, Recorder]]:
    recorder, listener = Recorder(), listen("127.0.0.1", 0)
    server = HttpServer(recorder, listener)
    await server.start()
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    nginx = Nginx(launcher, {**{f"EDGE_{name}": address for name in SERVICES}, "EDGE_GATE": "127.0.0.1:9"})
    try:
        nginx.start()
        yield nginx.http_port, recorder
    finally:
        nginx.stop()
        await server.stop()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_service_sees_the_requests_that_the_standard_sees(recorded: tuple[int, Recorder], case: Case) -> None:
    port, recorder = recorded
    assert await observed(port, recorder, case) == case.expected(Front.EDGE), case.rule


class TestPassedOn:
    async def test_names_with_an_underscore_are_dropped(self, recorded: tuple[int, Recorder]) -> None:
        port, recorder = recorded
        await request(port, "/api/mlpcore/x", headers="A_B: x\r\nA-C: y\r\n")
        assert "a_b" not in recorder.headers[-1]
        assert recorder.headers[-1]["a-c"] == "y"

    async def test_trailers_do_not_reach_the_service(self, recorded: tuple[int, Recorder]) -> None:
        port, recorder = recorded
        body = b"1\r\nx\r\n0\r\nMLP-API-KEY: other\r\n\r\n"
        await request(
            port, "/api/mlpcore/x", "POST", "Transfer-Encoding: chunked\r\nX-Y: z\r\n" + "\r\n" + body.decode()
        )
        assert "mlp-api-key" not in recorder.headers[-1]
        assert recorder.requests[-1].body == b"x"
