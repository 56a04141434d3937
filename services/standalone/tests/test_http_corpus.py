"""The corpus of requests against the all-in-one shape: its server, what answers without ASGI, and its edge."""

from collections.abc import AsyncGenerator

import pytest

from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.direct import DirectRequest, Headers, Reply
from mlplace_runtime.process.http.server import HttpServer
from mlplace_testing.http_corpus import CASES
from mlplace_testing.http_corpus.model import Case, Front
from mlplace_testing.http_corpus.observed import Recorder, observed
from standalone.edge import Edge

SERVICES = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")


class Undecided:
    """Takes every request that may be answered without ASGI, and leaves it to the app once its body is there."""

    def __init__(self) -> None:
        self.left = 0

    def prepare(self, target: bytes, headers: Headers, peer: str) -> DirectRequest | None:
        del target, peer
        names = {name for name, _ in headers}
        return None if b"content-length" not in names or b"expect" in names else self

    def begin(self, body: bytes, reply: Reply) -> None:
        del body, reply
        self.left += 1


@pytest.fixture(scope="module")
async def recorded() -> AsyncGenerator[tuple[int, Recorder]]:
    async def missing() -> dict[str, str]:
        return {}

    recorder, undecided, listener = Recorder(), Undecided(), listen("127.0.0.1", 0)
    edge = Edge(dict.fromkeys(SERVICES, recorder), version={}, missing=missing)
    server = HttpServer(edge, listener, direct=undecided)
    await server.start()
    yield listener.getsockname()[1], recorder
    await server.stop()
    assert undecided.left > 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_service_sees_the_requests_that_the_standard_sees(recorded: tuple[int, Recorder], case: Case) -> None:
    port, recorder = recorded
    assert await observed(port, recorder, case) == case.expected(Front.ALL_IN_ONE), case.rule
