import asyncio
import http.server
import os
import threading
import uuid
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docker
import docker.errors
import pytest

from mlplace_agent.config import DockerOptions
from mlplace_agent.runtimes.container_leftovers import SERVER_LABEL, FormerContainers, containers_of
from mlplace_agent.runtimes.container_options import AGENT_LABEL, container_options
from mlplace_agent.runtimes.containers import DockerRuntime
from mlplace_agent.runtimes.port import StartFailedError
from mlplace_contracts.internal.hosting import DesiredInstance

Make = Callable[..., DesiredInstance]
pytestmark = pytest.mark.docker


class TestSweep:
    async def test_removes_only_its_own_leftover_containers(
        self, docker_runtime: DockerRuntime, instance: Make
    ) -> None:
        run = await docker_runtime.start(instance())
        other = DockerRuntime(DockerOptions(enabled=True), agent_id=uuid.uuid4().hex)
        assert await other.remove_leftovers() == 0
        assert run.status() is None
        same = DockerRuntime(DockerOptions(enabled=True), agent_id=docker_runtime.agent_id)
        assert await same.remove_leftovers() == 1
        assert (await run.wait()).exit_code == 137
        await other.close()
        await same.close()

    async def test_agents_of_two_installations_run_an_instance_with_the_same_ids(
        self, docker_runtime: DockerRuntime, instance: Make
    ) -> None:
        other = DockerRuntime(DockerOptions(enabled=True), agent_id=uuid.uuid4().hex)
        runs = [await docker_runtime.start(instance()), await other.start(instance())]
        assert await docker_runtime.sweep() + await other.sweep() == 0
        assert [run.status() for run in runs] == [None, None]
        for run in runs:
            await run.kill()
        await other.close()

    async def test_an_upgraded_agent_removes_what_the_first_release_left_on_its_server(
        self, docker_runtime: DockerRuntime, instance: Make, tmp_path: Path
    ) -> None:
        server_id, pending = 10**9 + os.getpid(), tmp_path / "pending"
        pending.touch()
        former = FormerContainers(pending, server_id=server_id)
        upgraded = DockerRuntime(DockerOptions(enabled=True), agent_id=uuid.uuid4().hex, former=former)
        client = docker.from_env()
        left, elsewhere = (
            client.containers.create(instance().image, labels={SERVER_LABEL: str(number)})
            for number in (server_id, server_id + 1)
        )
        owned = client.containers.create(
            instance().image, labels={SERVER_LABEL: str(server_id), AGENT_LABEL: "another"}
        )
        try:
            assert await upgraded.remove_leftovers() == 1
            with pytest.raises(docker.errors.NotFound):
                left.reload()
            assert pending.exists()
            assert await upgraded.sweep() == 0
            assert not pending.exists()
            elsewhere.reload()
            owned.reload()
        finally:
            for each in (elsewhere, owned):
                each.remove(force=True)
            client.close()
        await upgraded.close()


class TestSharing:
    async def test_the_engine_shares_processors_by_weight_and_bounds_its_logs(
        self, docker_runtime: DockerRuntime, instance: Make
    ) -> None:
        run = await docker_runtime.start(instance(milli_cpu=500))
        client = docker.from_env()
        (container,) = containers_of(client, docker_runtime.agent_id)
        host = container.attrs["HostConfig"]
        assert (host["CpuShares"], host["NanoCpus"], host["CpuQuota"]) == (512, 0, 0)
        assert host["Memory"] == host["MemorySwap"] == 256 * 2**20
        assert not host["DeviceRequests"]
        assert host["LogConfig"]["Config"] == {"max-size": "16m", "max-file": "2"}
        await run.kill()
        client.close()

    async def test_the_engine_gets_the_ids_of_allocated_gpus(
        self, docker_runtime: DockerRuntime, instance: Make
    ) -> None:
        client = docker.from_env()
        options = container_options(
            instance(gpu_ids=["GPU-1", "GPU-2"]), DockerOptions(), agent_id=docker_runtime.agent_id
        )
        container = client.containers.create(instance().image, **options)  # type: ignore[arg-type]
        try:
            container.reload()
            (request,) = container.attrs["HostConfig"]["DeviceRequests"]
            assert (request["Driver"], request["DeviceIDs"], request["Count"]) == ("nvidia", ["GPU-1", "GPU-2"], 0)
        finally:
            container.remove(force=True)
            client.close()

    async def test_a_gpu_that_the_engine_cannot_give_fails_the_start_and_leaves_nothing(
        self, docker_runtime: DockerRuntime, instance: Make
    ) -> None:
        with pytest.raises(StartFailedError, match="nvidia"):
            await docker_runtime.start(instance(gpu_ids=["GPU-1"]))
        assert await docker_runtime.sweep() == 0


class TestUnknown:
    async def test_a_sweep_removes_containers_without_a_run_and_spares_the_others(
        self, docker_runtime: DockerRuntime, instance: Make
    ) -> None:
        run = await docker_runtime.start(instance())
        client = docker.from_env()
        labels = {AGENT_LABEL: docker_runtime.agent_id}
        unknown = client.containers.create(instance().image, labels=labels)
        assert await docker_runtime.sweep() == 1
        with pytest.raises(docker.errors.NotFound):
            unknown.reload()
        assert run.status() is None
        await run.kill()
        client.close()


class _SilentEngine(http.server.BaseHTTPRequestHandler):
    """An engine that has no image, and whose pulls do not end before it is told."""

    release = threading.Event()
    pulls = threading.Semaphore(0)

    def do_GET(self) -> None:
        if self.path == "/version":
            self._answer(200, b'{"ApiVersion": "1.43"}')
        else:
            self._answer(404, b'{"message": "No such image"}')

    def do_POST(self) -> None:
        self.pulls.release()
        self.release.wait()
        self._answer(500, b'{"message": "the registry is away"}')

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name that the base class has
        pass


@pytest.fixture
def silent_engine() -> Generator[str]:
    _SilentEngine.release.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _SilentEngine) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.server_port}"
        _SilentEngine.release.set()
        server.shutdown()


@pytest.fixture
async def one_thread() -> AsyncGenerator[None]:
    """The loop has one thread for everything else. All tests share the loop, so it gets its usual threads back."""
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(1))
    yield
    loop.set_default_executor(ThreadPoolExecutor())


class TestManyStarts:
    @pytest.mark.usefixtures("one_thread")
    async def test_starts_that_hang_leave_threads_to_everything_else(self, silent_engine: str, instance: Make) -> None:
        runtime = DockerRuntime(DockerOptions(enabled=True, socket=silent_engine), agent_id="1" * 32)
        starts = [asyncio.create_task(runtime.start(instance(instance_id=number))) for number in range(1, 33)]
        with ThreadPoolExecutor(1) as waiting:
            looked = asyncio.get_running_loop().run_in_executor(waiting, self._two_pulls_hang)
            await asyncio.wait([looked, *starts], return_when=asyncio.FIRST_COMPLETED)
        assert looked.done()
        assert await asyncio.to_thread(lambda: "measured") == "measured"
        _SilentEngine.release.set()
        found = await asyncio.gather(*starts, return_exceptions=True)
        assert {str(each) for each in found} == {"the Docker engine refused: the registry is away"}
        await runtime.close()

    @staticmethod
    def _two_pulls_hang() -> None:
        for _ in range(2):
            assert _SilentEngine.pulls.acquire(timeout=60)


class TestStart:
    async def test_a_missing_image_fails_with_a_reason(self, docker_runtime: DockerRuntime, instance: Make) -> None:
        with pytest.raises(StartFailedError):
            await docker_runtime.start(instance(image="localhost:1/no/such:image"))

    async def test_an_unavailable_engine_is_a_retryable_failure(self, instance: Make) -> None:
        runtime = DockerRuntime(DockerOptions(enabled=True, socket="tcp://127.0.0.1:1"), agent_id="1" * 32)
        with pytest.raises(StartFailedError) as caught:
            await runtime.start(instance())
        assert caught.value.reason == "EngineUnavailable"
        assert await runtime.remove_leftovers() == 0
