"""Callers that leave early: the platform learns of it at once, with every client and every way of leaving."""

import asyncio
import inspect
import signal
import ssl
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path

import pytest

import mlplace
from libs.sdk.tests.leaving.methods import BLOCKING, METHODS, Leaver
from libs.sdk.tests.leaving.platform import Platform, running
from libs.sdk.tests.leaving.ways import CELLS, CLIENT, way_of
from mlplace_gateproto import codes, gate_pb2
from mlplace_testing.certificates import certificate_for

ROOT = Path(__file__).parents[3]
CLIENTS = [mlplace.Client, mlplace.AsyncClient, mlplace.GrpcClient]
CALLS_NOTHING = {"close", "from_environment"}


class ShutsDown(Platform):
    """Accepts no further calls than streams."""

    async def process(self, request, context):
        return gate_pb2.ClientResponseProto(error=gate_pb2.ApiErrorProto(code=codes.GATE_IS_SHUT_DOWN))


@pytest.fixture
async def platform() -> AsyncIterator[Platform]:
    async with running() as started:
        yield started


def test_the_table_has_every_method_of_every_client() -> None:
    public = {
        f"{client.__name__}.{name}"
        for client in CLIENTS
        for name, _ in inspect.getmembers(client, callable)
        if not name.startswith("_") and name not in CALLS_NOTHING
    }
    assert public == set(METHODS)


@pytest.mark.parametrize(("method", "way"), CELLS)
async def test_the_platform_learns_that_a_caller_leaves(platform: Platform, method: str, way: str) -> None:
    leaver = Leaver(method, platform.url, platform.address)
    kept = await way_of(method, way)(leaver, platform)
    await platform.until_left(method)
    if kept is not None:
        with pytest.raises(mlplace.MlpError, match="connection_lost"):
            await (asyncio.to_thread(next, kept) if method in BLOCKING else anext(kept))  # type: ignore[call-overload]
    closed = leaver.client.close()
    if closed is not None:
        await closed


class TestProcesses:
    @asynccontextmanager
    async def _child(self, platform: Platform, *methods: str) -> AsyncIterator[Process]:
        """Runs a process that calls these methods. The block begins when all have asked."""
        command = ["-m", "libs.sdk.tests.leaving.child", platform.url, platform.address, *methods]
        child = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=ROOT, stdin=PIPE, stdout=PIPE)
        try:
            for method in methods:
                await platform.until_asked(method)
            yield child
        finally:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()

    @pytest.mark.parametrize("method", METHODS)
    async def test_ctrl_c_ends_the_call_and_not_the_process(self, platform: Platform, method: str) -> None:
        async with self._child(platform, method) as child:
            child.send_signal(signal.SIGINT)
            await platform.until_left(method)
            assert child.stdout is not None
            assert await asyncio.wait_for(child.stdout.readline(), 60) == b"interrupted\n"
            assert child.returncode is None

    @pytest.mark.parametrize("end", ["exit", "kill"])
    async def test_the_end_of_the_process_ends_every_call(self, platform: Platform, end: str) -> None:
        async with self._child(platform, *METHODS) as child:
            if end == "kill":
                child.kill()
            else:
                assert child.stdin is not None
                child.stdin.write(b"\n")
            for method in METHODS:
                await platform.until_left(method)
            assert await asyncio.wait_for(child.wait(), 60) == (-signal.SIGKILL if end == "kill" else 0)


class TestClosedClient:
    async def test_a_call_of_a_gate_that_the_client_has_left_ends_with_the_client(self, gate) -> None:
        gate.replies = [[gate_pb2.ClientResponseProto(predict=gate_pb2.PredictResponseProto())]]
        async with running(ShutsDown) as first:
            client = mlplace.GrpcClient([first.address, gate.address], "1.2.key", secure=False, timeout=600)
            async with aclosing(client.stream("acme", "m", 1)) as parts:
                await anext(parts)
                await client.predict("acme", "m", 1)  # the first gate refuses it, the other answers
                await asyncio.wait_for(client.close(), 60)
                await first.until_left("m")
                with pytest.raises(mlplace.MlpError, match="connection_lost"):
                    await anext(parts)

    @pytest.mark.parametrize("method", METHODS)
    async def test_a_call_of_a_closed_client_is_refused(self, platform: Platform, method: str) -> None:
        leaver = Leaver(method, platform.url, platform.address)
        closed = leaver.client.close()
        if closed is not None:
            await closed
        with pytest.raises(mlplace.MlpError, match="The client is closed") as refused:
            await (asyncio.to_thread(leaver.read) if method in BLOCKING else leaver.read_async())
        assert refused.value.code == "mlplace.connection_lost"
        assert not platform.asked

    @pytest.mark.parametrize("method", BLOCKING)
    async def test_a_call_over_tls_ends_when_another_thread_closes_the_client(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
    ) -> None:
        made = certificate_for("127.0.0.1")
        file = tmp_path / "both.pem"
        file.write_text(made.key + made.certificate)
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(file)
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        async with running(tls=tls) as platform:
            await way_of(method, CLIENT)(Leaver(method, platform.url, platform.address), platform)
            await platform.until_left(method)
