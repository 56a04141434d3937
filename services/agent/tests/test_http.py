"""HTTP instances: where they listen, and what is reported to the platform."""

import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from mlplace_agent.backoff import Backoff
from mlplace_agent.config import DockerOptions, Program
from mlplace_agent.environment import container_environment
from mlplace_agent.listening import bind_address, free_port
from mlplace_agent.runtimes.container_address import reached_at
from mlplace_agent.runtimes.container_options import container_options
from mlplace_agent.runtimes.port import HttpAddress, StartFailedError
from mlplace_agent.runtimes.process import ProcessRuntime
from mlplace_agent.supervisor import Supervisor
from mlplace_contracts.internal.hosting import DesiredInstance, ReportedPhase
from mlplace_kit.clock import SystemClock
from mlplace_testing.waiting import eventually

Make = Callable[..., DesiredInstance]
SERVES = """
import http.server, os
address = (os.environ["MLP_HTTP_HOST"], int(os.environ["MLP_HTTP_PORT"]))
http.server.HTTPServer(address, http.server.SimpleHTTPRequestHandler).serve_forever()
"""
PORTS = {"8080/tcp": [{"HostIp": "10.1.1.1", "HostPort": "40001"}]}
NETWORK = {"Ports": PORTS, "Networks": {"bridge": {"IPAddress": "172.17.0.3"}}}


@pytest.fixture
def serving(tmp_path: Path) -> ProcessRuntime:
    return ProcessRuntime({"demo/program": Program(command=(sys.executable, "-c", SERVES))}, tmp_path)


async def status_of(host: str, port: int) -> int | None:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        try:
            return (await client.get(f"http://{host}:{port}/")).status_code
        except httpx.TransportError:
            return None


class TestPrograms:
    async def test_each_listens_on_its_own_port(self, serving: ProcessRuntime, instance: Make) -> None:
        runs = [await serving.start(instance(instance_id=number, http_port=8080)) for number in (1, 2)]
        places = [run.http for run in runs if run.http is not None]
        assert len({place.port for place in places}) == 2
        for place in places:
            assert place.host == "127.0.0.1"
            assert await eventually(lambda place=place: status_of(place.host, place.port)) == 200
        for run in runs:
            await run.kill()

    async def test_fail_to_start_if_the_host_lacks_the_address(
        self, program: Program, tmp_path: Path, instance: Make
    ) -> None:
        runtime = ProcessRuntime({"demo/program": program}, tmp_path, advertised="192.0.2.1")
        with pytest.raises(StartFailedError):
            await runtime.start(instance(http_port=8080))

    async def test_without_http_get_no_address(self, process_runtime: ProcessRuntime, instance: Make) -> None:
        run = await process_runtime.start(instance(platform_env={"MLP_TEST_BEHAVIOUR": "environment"}))
        await run.wait()
        assert run.http is None
        assert "MLP_HTTP" not in run.output.read(0, 100_000)[1]

    async def test_address_is_reported_while_running(self, serving: ProcessRuntime, instance: Make) -> None:
        backoff = Backoff(first=1.0)
        supervisor = Supervisor(
            instance(http_port=8080), serving, clock=SystemClock(), backoff=backoff, changed=lambda: None
        )

        async def running() -> bool:
            return supervisor.report.phase is ReportedPhase.RUNNING

        await eventually(running)
        assert (supervisor.report.http_host, supervisor.report.http_port is not None) == ("127.0.0.1", True)
        supervisor.stop(grace_seconds=30.0)
        await supervisor.ended()
        assert (supervisor.report.http_host, supervisor.report.http_port) == (None, None)


class TestContainers:
    def test_listen_on_the_models_port(self, instance: Make) -> None:
        environment = container_environment(instance(http_port=8080, service_env={"MLP_HTTP_PORT": "1"}))
        assert (environment["MLP_HTTP_HOST"], environment["MLP_HTTP_PORT"]) == ("0.0.0.0", "8080")

    @pytest.mark.parametrize(
        ("advertised", "mode", "ports"),
        [
            (None, "bridge", None),
            ("10.1.1.1", "bridge", {"8080/tcp": ("10.1.1.1", None)}),
            ("host.example.org", "bridge", {"8080/tcp": ("0.0.0.0", None)}),
            ("10.1.1.1", "host", None),
        ],
    )
    def test_publish_the_port_if_gates_are_on_other_machines(
        self, instance: Make, advertised: str | None, mode: str, ports: object
    ) -> None:
        options = DockerOptions(enabled=True, network_mode=mode)
        made = container_options(instance(http_port=8080), options, agent_id="1" * 32, advertised=advertised)
        assert made.get("ports") == ports

    @pytest.mark.parametrize(
        ("advertised", "mode", "host"),
        [
            (None, "bridge", "0.0.0.0"),
            ("10.1.1.1", "bridge", "0.0.0.0"),
            (None, "host", "127.0.0.1"),
            ("10.1.1.1", "host", "10.1.1.1"),
            ("host.example.org", "host", "0.0.0.0"),
        ],
    )
    def test_on_the_host_network_listen_on_the_same_address_as_programs(
        self, instance: Make, advertised: str | None, mode: str, host: str
    ) -> None:
        options = DockerOptions(enabled=True, network_mode=mode)
        made = container_options(instance(http_port=8080), options, agent_id="1" * 32, advertised=advertised)
        assert made["environment"]["MLP_HTTP_HOST"] == host  # type: ignore[index]

    def test_without_http_publish_nothing(self, instance: Make) -> None:
        assert "ports" not in container_options(instance(), DockerOptions(), agent_id="1" * 32, advertised="10.1.1.1")

    @pytest.mark.parametrize(
        ("advertised", "mode", "network", "place"),
        [
            (None, "bridge", NETWORK, HttpAddress("172.17.0.3", 8080)),
            ("10.1.1.1", "bridge", NETWORK, HttpAddress("10.1.1.1", 40001)),
            (None, "host", None, HttpAddress("127.0.0.1", 8080)),
            ("10.1.1.1", "host", None, HttpAddress("10.1.1.1", 8080)),
            (None, "bridge", {"Networks": {"bridge": {"IPAddress": ""}}}, None),
            ("10.1.1.1", "bridge", {"Ports": {"8080/tcp": None}}, None),
            (None, "bridge", None, None),
            (None, "bridge", {"Networks": []}, None),
        ],
    )
    def test_address_comes_from_the_engine(
        self, instance: Make, advertised: str | None, mode: str, network: object, place: HttpAddress | None
    ) -> None:
        options = DockerOptions(enabled=True, network_mode=mode)
        assert reached_at(instance(http_port=8080), options, advertised, network) == place


class TestListening:
    @pytest.mark.parametrize(
        ("advertised", "bound"),
        [(None, "127.0.0.1"), ("10.1.1.1", "10.1.1.1"), ("::1", "::1"), ("host.example.org", "0.0.0.0")],
    )
    def test_binds_only_the_advertised_address(self, advertised: str | None, bound: str) -> None:
        assert bind_address(advertised) == bound

    def test_finds_a_free_port(self) -> None:
        assert 1024 <= free_port("127.0.0.1") <= 65_535
