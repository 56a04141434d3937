"""Runs instances as containers of a Docker engine."""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

import docker
import docker.errors
import requests.exceptions
from docker.models.containers import Container

from mlplace_agent.config import DockerOptions
from mlplace_agent.runtimes.container_address import reached_at
from mlplace_agent.runtimes.container_data import DataVolumes
from mlplace_agent.runtimes.container_disk import has_quotas
from mlplace_agent.runtimes.container_images import Images
from mlplace_agent.runtimes.container_leftovers import FormerContainers, containers_of
from mlplace_agent.runtimes.container_options import AGENT_LABEL, container_options
from mlplace_agent.runtimes.container_room import DataRoom
from mlplace_agent.runtimes.container_run import DockerRun, quietly
from mlplace_agent.runtimes.limits import DiskWatch
from mlplace_agent.runtimes.port import RefusedError, Run, Runtime, StartFailedError
from mlplace_contracts.internal.hosting import DesiredInstance

_QUOTA_SLACK_BYTES = 64 * 2**20
"""The agent ends an instance at its limit; the engine's quota stops one that writes more before the next look."""
_TIMEOUT_SECONDS = 60
_STARTS_AT_ONCE, _STARTS_OF_ACCOUNT = 16, 4
"""A slow registry of one account must not keep the instances of the others from starting."""
_COPY_SECONDS = 3600
_MIB = 2**20
_Result = TypeVar("_Result")


class DockerRuntime(Runtime):
    """Runs every call of the blocking Docker SDK in a thread. The agent's id is a label of each of its containers.

    Starts have threads of their own: an image may take minutes to arrive, and running instances are watched, measured
    and stopped meanwhile.
    """

    def __init__(
        self,
        options: DockerOptions,
        *,
        agent_id: str,
        former: FormerContainers | None = None,
        advertised: str | None = None,
    ) -> None:
        """`advertised` is the host at which gates on other machines reach published ports."""
        self._advertised = advertised
        self._options = options
        self.agent_id = agent_id
        self._former = former
        self._clients: dict[int, docker.DockerClient] = {}
        self._disk = DiskWatch()
        self._quotas: bool | None = None
        self._kept: set[str] = set()
        self._images = Images(agent_id=agent_id)
        one, total = int(options.data_image_megabytes * _MIB), int(options.data_images_megabytes * _MIB)
        room = DataRoom(agent_id=agent_id, one=one, total=total)
        self._data = DataVolumes(agent_id=agent_id, images=self._images, room=room, kept=self._kept)
        self._starts = ThreadPoolExecutor(_STARTS_AT_ONCE, thread_name_prefix="container-start")
        self._places = defaultdict[int, asyncio.Semaphore](lambda: asyncio.Semaphore(_STARTS_OF_ACCOUNT))
        self._connecting = threading.Lock()

    async def start(self, instance: DesiredInstance) -> Run:
        if instance.command_flags:
            raise RefusedError("additional command flags are not supported by this server")
        options = container_options(instance, self._options, agent_id=self.agent_id, advertised=self._advertised)
        name = str(options["name"])
        async with self._places[instance.account_id]:
            container = await self._translated(self._starts, lambda: self._start(instance, options, name))
        network: object = container.attrs.get("NetworkSettings")
        http = reached_at(instance, self._options, self._advertised, network)
        return DockerRun(container, instance, disk=self._disk, http=http, on_end=lambda: self._kept.discard(name))

    def _start(self, instance: DesiredInstance, options: dict[str, object], name: str) -> Container:
        client = self._connected()
        self._remove_namesake(client, name)
        source = self._images.source(client, instance.image, instance.login)
        with (
            self._images.held(client, source) as image,
            self._data.ready(self._patient(), instance.data_mounts, asking=client) as mounts,
        ):
            return self._started(client, instance, {**options, "image": image.id, "mounts": mounts}, name)

    def _started(
        self, client: docker.DockerClient, instance: DesiredInstance, options: dict[str, object], name: str
    ) -> Container:
        self._kept.add(name)  # before the engine has the container: a sweep never finds it without a run
        container: Container | None = None
        try:
            container = self._created(client, instance, options)
            container.start()
            container.reload()  # its addresses and volumes are known now
        except (docker.errors.DockerException, requests.exceptions.RequestException):
            self._kept.discard(name)
            if container is not None:
                quietly(lambda: container.remove(force=True, v=True))
            raise
        return container

    def _created(self, client: docker.DockerClient, instance: DesiredInstance, options: dict[str, object]) -> Container:
        """Creates the container, with a quota of the disk where the engine has quotas."""
        if instance.disk_bytes is not None and self._has_quotas(client):
            quota = {"storage_opt": {"size": str(instance.disk_bytes + _QUOTA_SLACK_BYTES)}}
            try:
                return client.containers.create(**options, **quota)  # pyright: ignore[reportArgumentType]  # keywords of the engine's API
            except docker.errors.APIError as error:
                if "storage-opt" not in str(error.explanation):
                    raise
                self._quotas = False  # its file system is mounted without them
        return client.containers.create(**options)  # pyright: ignore[reportArgumentType]  # keywords of the engine's API

    def _has_quotas(self, client: docker.DockerClient) -> bool:
        if self._quotas is None:
            self._quotas = has_quotas(client)
        return self._quotas

    def _remove_namesake(self, client: docker.DockerClient, name: str) -> None:
        """Remove an earlier run of this instance. A container of somebody else with that name stays."""
        try:
            found = client.containers.get(name)
        except docker.errors.NotFound:
            return
        if found.labels.get(AGENT_LABEL) == self.agent_id:
            found.remove(force=True, v=True)

    async def remove_leftovers(self) -> int:
        """Remove containers of this agent that none of its runs has: an earlier process of it left them, or the engine
        did not answer when they were to be created or removed.
        """
        try:
            return await asyncio.to_thread(self._remove_leftovers)
        except (docker.errors.DockerException, requests.exceptions.RequestException):
            return 0  # without an engine nothing runs

    async def sweep(self) -> int:
        removed = await self.remove_leftovers()
        with suppress(docker.errors.DockerException, requests.exceptions.RequestException):
            await asyncio.to_thread(lambda: self._data.remove_unused(self._connected()))
        return removed

    def _remove_leftovers(self) -> int:
        client = self._connected()
        self._images.remove_temporary(client)
        found = [container for container in containers_of(client, self.agent_id) if container.name not in self._kept]
        if self._former is not None:
            found += self._former.find(client)
        for container in found:
            quietly(lambda container=container: container.remove(force=True, v=True))
        return len(found)

    async def close(self) -> None:
        self._disk.close()
        self._starts.shutdown(wait=False, cancel_futures=True)
        for client in self._clients.values():
            await asyncio.to_thread(client.close)

    def _connected(self) -> docker.DockerClient:
        return self._client(_TIMEOUT_SECONDS)

    def _patient(self) -> docker.DockerClient:
        """A client for requests that end when the engine has copied files."""
        return self._client(_COPY_SECONDS)

    def _client(self, seconds: int) -> docker.DockerClient:
        with self._connecting:
            if seconds not in self._clients:
                socket = self._options.socket
                self._clients[seconds] = (
                    docker.from_env(timeout=seconds)
                    if socket is None
                    else docker.DockerClient(base_url=socket, timeout=seconds)
                )
            return self._clients[seconds]

    @staticmethod
    async def _translated(threads: Executor, work: Callable[[], _Result]) -> _Result:
        """Run `work` in a thread; translate the engine's errors into StartFailedError."""
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, work)
        except docker.errors.ImageNotFound as error:
            raise _failed("ImageNotFound", "the image cannot be found", error) from error
        except docker.errors.APIError as error:
            raise _failed("StartError", "the Docker engine refused", error) from error
        except (docker.errors.DockerException, requests.exceptions.RequestException) as error:
            raise StartFailedError("EngineUnavailable", "the Docker engine does not answer") from error


def _failed(reason: str, text: str, error: docker.errors.APIError) -> StartFailedError:
    """The engine's explanation may name the image's address, its registry or a digest in any form."""
    hint = f"{text}; only the owner of the image may see the explanation"
    return StartFailedError(reason, f"{text}: {error.explanation}", without_address=hint)
