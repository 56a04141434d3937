"""Runs instances as containers of a Docker engine."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

import docker
import docker.errors
import requests.exceptions
from docker.models.containers import Container
from pydantic import BaseModel, Field, ValidationError

from mlplace_agent.capture import Capture
from mlplace_agent.config import DockerOptions
from mlplace_agent.environment import container_environment
from mlplace_agent.listening import ANYWHERE, LOOPBACK, bind_address
from mlplace_agent.runtimes.port import Ended, HttpAddress, RefusedError, Run, Runtime, StartFailedError, ended
from mlplace_contracts.internal.hosting import DesiredInstance

LABEL = "ai.mlplace.agent"
SERVER_LABEL = f"{LABEL}.server"
INSTANCE_LABEL = f"{LABEL}.instance"
GENERATION_LABEL = f"{LABEL}.generation"
_POLL_SECONDS = 0.5
_TIMEOUT_SECONDS = 60
_Result = TypeVar("_Result")


def container_options(
    instance: DesiredInstance, options: DockerOptions, *, server_id: int, advertised: str | None = None
) -> dict[str, object]:
    """Options of the container: no privileges, no capabilities, hard limits of resources."""
    return {
        "name": f"mlp-{instance.account_id}-{instance.model_id}-{instance.instance_id}",
        "environment": container_environment(instance, http_host=_listens_at(options, advertised)),
        "labels": {
            SERVER_LABEL: str(server_id),
            INSTANCE_LABEL: str(instance.instance_id),
            GENERATION_LABEL: str(instance.generation),
        },
        "mem_limit": instance.memory_bytes,
        "memswap_limit": instance.memory_bytes,
        "nano_cpus": instance.milli_cpu * 1_000_000,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "privileged": False,
        "pids_limit": options.pids_limit,
        "network_mode": options.network_mode,
        "extra_hosts": options.extra_hosts,
        "init": True,
        "detach": True,
        **_published(instance, options, advertised),
    }


def _listens_at(options: DockerOptions, advertised: str | None) -> str:
    """All addresses in a network of the container's own; on the host's network only the address that gates use."""
    return bind_address(advertised) if options.network_mode == "host" else ANYWHERE


def _published(instance: DesiredInstance, options: DockerOptions, advertised: str | None) -> dict[str, object]:
    """Publish a port of the host for gates elsewhere. Gates on this machine use the container's own address."""
    if instance.http_port is None or advertised is None or options.network_mode == "host":
        return {}
    return {"ports": {f"{instance.http_port}/tcp": (bind_address(advertised), None)}}


def reached_at(
    instance: DesiredInstance, options: DockerOptions, advertised: str | None, settings: object
) -> HttpAddress | None:
    """`settings` is the engine's NetworkSettings of the running container. Returns None while it holds no address."""
    port = instance.http_port
    if port is None:
        return None
    if options.network_mode == "host":
        return HttpAddress(advertised or LOOPBACK, port)
    try:
        found = _Network.model_validate(settings)
    except ValidationError:
        return None
    if advertised is None:
        own = next((network.address for network in found.networks.values() if network.address), None)
        return HttpAddress(own, port) if own else None
    bound = next(iter(found.ports.get(f"{port}/tcp") or ()), None)
    return HttpAddress(advertised, int(bound.port)) if bound else None


class _Bound(BaseModel):
    port: str = Field(alias="HostPort")


class _Attached(BaseModel):
    address: str = Field(default="", alias="IPAddress")


class _Network(BaseModel):
    ports: dict[str, list[_Bound] | None] = Field(default={}, alias="Ports")
    networks: dict[str, _Attached] = Field(default={}, alias="Networks")


class DockerRuntime(Runtime):
    """Runs every call of the blocking Docker SDK in a thread. The server's id is a label of each of its containers."""

    def __init__(self, options: DockerOptions, *, server_id: int, advertised: str | None = None) -> None:
        """`advertised` is the host at which gates on other machines reach published ports."""
        self._advertised = advertised
        self._options = options
        self._server_id = server_id
        self._client: docker.DockerClient | None = None

    async def start(self, instance: DesiredInstance) -> Run:
        if instance.command_flags:
            raise RefusedError("additional command flags are not supported by this server")
        container = await self._translated(lambda: self._create(instance))
        network: object = container.attrs.get("NetworkSettings")
        return DockerRun(container, http=reached_at(instance, self._options, self._advertised, network))

    def _create(self, instance: DesiredInstance) -> Container:
        client = self._connected()
        options = container_options(instance, self._options, server_id=self._server_id, advertised=self._advertised)
        self._remove_namesake(client, str(options["name"]))
        try:
            client.images.get(instance.image)
        except docker.errors.ImageNotFound:
            client.images.pull(*_split(instance.image))
        container = client.containers.create(instance.image, **options)  # pyright: ignore[reportArgumentType]  # keywords of the engine's API
        try:
            container.start()
            if instance.http_port is not None:
                container.reload()  # its addresses are known now
        except docker.errors.APIError:
            container.remove(force=True)
            raise
        return container

    def _remove_namesake(self, client: docker.DockerClient, name: str) -> None:
        """Remove an earlier run of this instance. A container of somebody else with that name stays."""
        try:
            found = client.containers.get(name)
        except docker.errors.NotFound:
            return
        if found.labels.get(SERVER_LABEL) == str(self._server_id):
            found.remove(force=True, v=True)

    async def sweep(self) -> int:
        """Remove containers that an earlier agent of this server left: nobody reads their output any more."""
        try:
            return await asyncio.to_thread(self._sweep)
        except (docker.errors.DockerException, requests.exceptions.RequestException):
            return 0  # without an engine nothing runs

    def _sweep(self) -> int:
        mine: dict[str, str | list[str] | bool] = {"label": f"{SERVER_LABEL}={self._server_id}"}
        found = self._connected().containers.list(all=True, filters=mine)
        for container in found:
            _quietly(lambda container=container: container.remove(force=True, v=True))
        return len(found)

    async def close(self) -> None:
        if self._client is not None:
            await asyncio.to_thread(self._client.close)

    def _connected(self) -> docker.DockerClient:
        if self._client is None:
            socket = self._options.socket
            if socket is None:
                self._client = docker.from_env(timeout=_TIMEOUT_SECONDS)
            else:
                self._client = docker.DockerClient(base_url=socket, timeout=_TIMEOUT_SECONDS)
        return self._client

    @staticmethod
    async def _translated(work: Callable[[], _Result]) -> _Result:
        """Run `work` in a thread; translate the engine's errors into StartFailedError."""
        try:
            return await asyncio.to_thread(work)
        except docker.errors.ImageNotFound as error:
            raise StartFailedError("ImageNotFound", f"the image cannot be found: {error.explanation}") from error
        except docker.errors.APIError as error:
            raise StartFailedError("StartError", f"the Docker engine refused: {error.explanation}") from error
        except (docker.errors.DockerException, requests.exceptions.RequestException) as error:
            raise StartFailedError("EngineUnavailable", "the Docker engine does not answer") from error


class DockerRun(Run):
    def __init__(self, container: Container, *, http: HttpAddress | None = None) -> None:
        self.output = Capture()
        self.http = http
        self._container = container
        self._ended: Ended | None = None
        self._loop = asyncio.get_running_loop()
        self._output_ended = asyncio.Event()
        threading.Thread(target=self._follow, name=f"logs-{container.short_id}", daemon=True).start()
        self._watcher = asyncio.create_task(self._watch(), name=f"container-{container.short_id}")

    def status(self) -> Ended | None:
        return self._ended

    async def wait(self) -> Ended:
        return await asyncio.shield(self._watcher)

    async def stop(self, *, grace_seconds: float) -> Ended:
        await self._signal("SIGTERM")
        try:
            async with asyncio.timeout(grace_seconds):
                return await self.wait()
        except TimeoutError:
            return await self.kill()

    async def kill(self) -> Ended:
        await self._signal("SIGKILL")
        return await self.wait()

    async def _signal(self, name: str) -> None:
        if self._ended is None:
            await asyncio.to_thread(_quietly, lambda: self._container.kill(signal=name))

    async def _watch(self) -> Ended:
        while (state := await asyncio.to_thread(self._state)) is None:  # noqa: ASYNC110  the engine has no event to await
            await asyncio.sleep(_POLL_SECONDS)
        try:
            async with asyncio.timeout(2 * _POLL_SECONDS):
                await self._output_ended.wait()
        except TimeoutError:
            pass
        await asyncio.to_thread(_quietly, lambda: self._container.remove(force=True, v=True))
        self.output.write(b"", final=True)
        self._ended = state
        return state

    def _state(self) -> Ended | None:
        try:
            self._container.reload()
        except docker.errors.NotFound:
            return ended(137, message="the container was removed")
        except (docker.errors.DockerException, requests.exceptions.RequestException):
            return None  # the engine does not answer; the container may still run
        state = self._container.attrs["State"]
        if state.get("Status") not in {"exited", "dead"}:
            return None
        return ended(
            int(state["ExitCode"]), out_of_memory=bool(state.get("OOMKilled")), message=state.get("Error") or None
        )

    def _follow(self) -> None:
        try:
            for piece in self._container.logs(stream=True, follow=True):
                self._loop.call_soon_threadsafe(self.output.write, piece)
            self._loop.call_soon_threadsafe(self._output_ended.set)
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError, RuntimeError):
            return  # the engine went away, or the agent is closing its loop


def _quietly(work: Callable[[], object]) -> None:
    """Run `work` and ignore the engine's errors, such as a container that is gone already."""
    try:
        work()
    except (docker.errors.DockerException, requests.exceptions.RequestException):
        return


def _split(image: str) -> tuple[str, str | None]:
    """Returns repository and tag; `latest` without a tag, as `docker run` does. A digest stays with the repository."""
    if "@" in image:
        return image, None
    repository, colon, tag = image.rpartition(":")
    return (repository, tag) if colon and "/" not in tag else (image, "latest")
