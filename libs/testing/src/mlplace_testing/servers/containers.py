"""Real servers for tests in Docker containers."""

import asyncio
import os
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import docker.errors
import pytest
from docker.models.containers import Container
from testcontainers.core.container import DockerContainer


class NoServerError(Exception):
    """There is neither a container nor an address; the message is the reason for skipping the test."""


@asynccontextmanager
async def running(make: Callable[[], DockerContainer]) -> AsyncGenerator[DockerContainer]:
    """Starts a container. Calls `make` in a thread, since it contacts the engine. Raises NoServerError."""
    try:
        touch_engine()
        container = await asyncio.to_thread(make)
    except (docker.errors.DockerException, OSError) as error:
        raise NoServerError(f"no Docker engine answers: {error}") from error
    try:
        try:
            await asyncio.to_thread(container.start)
        except docker.errors.APIError as error:
            raise NoServerError(f"the image {container.image} cannot be had: {error.explanation}") from error
        yield container
    finally:
        await asyncio.to_thread(container.stop)


def touch_engine() -> None:
    """Raises OSError if the engine's socket is dead. Otherwise the docker package would leak a socket of its own."""
    host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if host.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(host.removeprefix("unix://"))


def address_or_skip(variable: str, otherwise: NoServerError) -> str:
    """Returns the address in the environment that replaces a container; skips the test if there is none."""
    if address := os.environ.get(variable):
        return address
    pytest.skip(f"{otherwise}; and {variable} is not set")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnServer:
    """Controls a server. Skips the test if the server was given by address, because it is not ours to stop."""

    container: DockerContainer | None = None

    async def kill(self) -> None:
        """Kills the server without flushing or closing anything."""
        await asyncio.to_thread(self._ours().kill)

    async def start(self) -> None:
        """Starts the server without waiting for it."""
        await asyncio.to_thread(self._ours().start)

    async def freeze(self) -> None:
        """Pauses the server: connections stay open, nothing answers. Retries, since a busy engine may fail at first."""
        container = self._ours()
        await answers(lambda: asyncio.to_thread(container.pause), docker.errors.APIError, seconds=20)

    async def thaw(self) -> None:
        await asyncio.to_thread(self._ours().unpause)

    def _ours(self) -> Container:
        if self.container is None:
            pytest.skip("a server that is given by its address is not ours to stop")
        return self.container.get_wrapped_container()


_Server = TypeVar("_Server", bound=OwnServer)


@asynccontextmanager
async def own_or_given(
    kind: Callable[..., _Server], make: Callable[[], DockerContainer], address: str, variable: str
) -> AsyncGenerator[_Server]:
    """Yields a server in a container at that address, or else the one whose address the environment gives."""
    async with AsyncExitStack() as stack:
        try:
            server = kind(address, container=await stack.enter_async_context(running(make)))
        except NoServerError as reason:
            server = kind(address_or_skip(variable, reason))
        yield server


async def answers(probe: Callable[[], Awaitable[object]], *errors: type[Exception], seconds: float = 60.0) -> None:
    """Retries `probe` until it succeeds. Raises TimeoutError with its last failure as the cause."""
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            await probe()
        except errors as error:
            if asyncio.get_running_loop().time() > deadline:
                raise TimeoutError(f"no answer within {seconds} s") from error
            await asyncio.sleep(0.1)
        else:
            return
