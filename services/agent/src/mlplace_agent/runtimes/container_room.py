"""Bounds what the folders of data images take on a server."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

import docker
import docker.errors
from pydantic import BaseModel

from mlplace_agent.runtimes.container_options import AGENT_LABEL
from mlplace_agent.runtimes.port import StartFailedError
from mlplace_contracts.internal.hosting import DataMount

BYTES_LABEL = "ai.mlplace.agent.data.bytes"
_REMEMBERED_SECONDS = 600.0
"""So long a folder that found no room is not measured again: its image may be large, and starts are repeated."""
_MOST_REMEMBERED = 10_000
_FOLDER = 1 << 31
"""The engine describes files with the modes of Go."""
_MIB = 2**20


class _Stat(BaseModel):
    mode: int


class DataRoom:
    """Its methods block, and may be called from several threads. Sizes are bytes of the folder as a tar archive.

    Each volume has its size as a label. The engine could measure volumes, too, but reads all of their files to do so.
    """

    def __init__(self, *, agent_id: str, one: int, total: int, remembered_seconds: float = _REMEMBERED_SECONDS) -> None:
        """`one`: bytes that a folder may have. `total`: bytes of all folders together."""
        self._agent_id = agent_id
        self._one = one
        self._total = total
        self._remembered_seconds = remembered_seconds
        self._taking = threading.Lock()
        self._reserved: dict[str, int] = {}
        self._refused: dict[tuple[str, str], tuple[float, int]] = {}

    def expect(self, client: docker.DockerClient, mount: DataMount, *, free: Callable[[], int]) -> None:
        """Raises StartFailedError if the folder found no room lately, and would not find it now."""
        until, size = self._refused.get((mount.image, mount.source_path), (0.0, 0))
        if time.monotonic() < until:
            self._demand(mount, size)
            _again_once_freed(lambda: self._look(client, mount, size), free)

    def found_room(self, mount: DataMount) -> None:
        """Forgets that the folder found no room: it is on the server now."""
        self._refused.pop((mount.image, mount.source_path), None)

    def size(self, client: docker.DockerClient, container: str, mount: DataMount) -> int:
        """Measures the folder. Raises StartFailedError if there is none, or a too large one."""
        path = mount.source_path.rstrip("/") + "/."  # follows a link, and must be a folder
        try:
            pieces, stat = client.api.get_archive(container, path)  # pyright: ignore[reportUnknownMemberType]  # the SDK's types lack it
        except docker.errors.APIError as error:
            if isinstance(error, docker.errors.NotFound) or "not a directory" in str(error.explanation):
                raise _no_folder(mount) from error
            raise
        if not _Stat.model_validate(stat).mode & _FOLDER:
            raise _no_folder(mount)
        size = 0
        for piece in pieces:
            size += len(piece)
            if size > self._one:
                break
        del pieces  # ends the transfer of the rest
        self._demand(mount, size)
        return size

    @contextmanager
    def taken(
        self, client: docker.DockerClient, volume: str, mount: DataMount, size: int, *, free: Callable[[], int]
    ) -> Generator[None]:
        """Reserves room for the volume until the block, which makes it, has ended. Raises StartFailedError.

        `free` removes volumes that nobody uses, and returns how many.
        """
        _again_once_freed(lambda: self._take(client, volume, mount, size), free)
        try:
            yield
        finally:
            self._release(volume)

    def _look(self, client: docker.DockerClient, mount: DataMount, size: int) -> None:
        with self._taking:
            self._demand_free(client, mount, size)

    def _take(self, client: docker.DockerClient, volume: str, mount: DataMount, size: int) -> None:
        with self._taking:
            self._demand_free(client, mount, size)
            self._reserved[volume] = size

    def _release(self, volume: str) -> None:
        with self._taking:
            self._reserved.pop(volume, None)

    def _demand(self, mount: DataMount, size: int) -> None:
        if size > self._one:
            raise self._refusal(
                mount,
                size,
                f"the folder {mount.source_path} of the data image for {mount.target_path} has more than "
                f"{_mib(self._one)} MiB, which is what this server takes of a data image",
            )

    def _demand_free(self, client: docker.DockerClient, mount: DataMount, size: int) -> None:
        used = self._used(client)
        if used + size > self._total:
            raise self._refusal(
                mount,
                size,
                f"the folder {mount.source_path} of the data image for {mount.target_path} has {_mib(size)} MiB, and "
                f"{_mib(used)} of the {_mib(self._total)} MiB that this server has for data images are in use",
            )

    def _used(self, client: docker.DockerClient) -> int:
        filters = {"label": [f"{AGENT_LABEL}={self._agent_id}", BYTES_LABEL]}
        volumes = client.volumes.list(filters=filters)
        sizes = {str(volume.name): int(volume.attrs["Labels"][BYTES_LABEL]) for volume in volumes}
        return sum({**sizes, **self._reserved}.values())

    def _refusal(self, mount: DataMount, size: int, text: str) -> StartFailedError:
        now = time.monotonic()
        if len(self._refused) >= _MOST_REMEMBERED:
            self._refused = {key: entry for key, entry in self._refused.items() if now < entry[0]}
        key = (mount.image, mount.source_path)
        if self._refused.get(key, (0.0, 0))[0] <= now:
            self._refused[key] = (now + self._remembered_seconds, size)
        return StartFailedError("DataImageError", text)


def _again_once_freed(take: Callable[[], None], free: Callable[[], int]) -> None:
    try:
        take()
    except StartFailedError:
        if not free():
            raise
        take()


def _no_folder(mount: DataMount) -> StartFailedError:
    return StartFailedError(
        "DataImageError", f"the data image for {mount.target_path} has no folder {mount.source_path}"
    )


def _mib(size: int) -> str:
    return f"{size / _MIB:.1f}".removesuffix(".0")
