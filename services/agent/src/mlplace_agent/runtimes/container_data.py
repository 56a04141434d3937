"""Volumes of the engine with the folders of data images.

A volume is filled once for each image and folder; all instances on the server that mount it read the same files.
"""

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial

import docker
import docker.errors
import requests.exceptions
from docker.models.images import Image
from docker.types import Mount

from mlplace_agent.runtimes.container_images import Images, local_image
from mlplace_agent.runtimes.container_options import AGENT_LABEL
from mlplace_agent.runtimes.container_room import BYTES_LABEL, DataRoom
from mlplace_agent.runtimes.container_run import quietly
from mlplace_agent.runtimes.port import StartFailedError
from mlplace_contracts.internal.hosting import DataMount

DATA_LABEL = "ai.mlplace.agent.data"
ADDRESS_LABEL = "ai.mlplace.agent.data.address"
FOLDER_LABEL = "ai.mlplace.agent.data.folder"
_WHOLE, _FILL = "-whole", "-fill"
_UNUSED_SECONDS = 600.0
"""Long enough for an instance that starts again, or moves to a new version, to find its volume."""


class DataVolumes:
    """Its methods block, and may be called from several threads.

    The engine cannot change the labels of a volume, so an empty second volume says that the first one is filled
    completely: an agent or an engine may die while it is filled.
    """

    def __init__(
        self,
        *,
        agent_id: str,
        images: Images,
        room: DataRoom,
        kept: set[str],
        unused_seconds: float = _UNUSED_SECONDS,
    ) -> None:
        """`kept`: the names of containers that a sweep must not remove. Those that fill a volume are added."""
        self._agent_id = agent_id
        self._images = images
        self._room = room
        self._kept = kept
        self._unused_seconds = unused_seconds
        self._locks: dict[str, threading.Lock] = {}
        self._held: Counter[str] = Counter()
        self._unused_since: dict[str, float] = {}

    @contextmanager
    def ready(
        self, client: docker.DockerClient, mounts: Sequence[DataMount], *, asking: docker.DockerClient
    ) -> Generator[list[Mount]]:
        """Yields the mounts as the engine takes them. Their volumes stay at least until the end of the block.

        `client` must wait as long as the engine may copy a folder. `asking` waits for answers of registries, which are
        other people's: it must not wait long. Raises StartFailedError for an image that cannot be
        had or that has no such folder, and docker.errors.
        """
        held: list[str] = []
        try:
            found: list[Mount] = []
            for mount in mounts:
                name = self._hold(client, mount, asking)
                held.append(name)
                found.append(Mount(mount.target_path, name, type="volume", read_only=True, no_copy=True))
            yield found
        finally:
            for name in held:
                with self._lock(name):
                    self._held[name] -= 1

    def _hold(self, client: docker.DockerClient, mount: DataMount, asking: docker.DockerClient) -> str:
        with ExitStack() as stack:
            try:
                source = self._images.source(asking, mount.image, mount.login)
                # The labels of a volume have the name that only accounts with a right to the image find.
                mount = mount.model_copy(update={"image": source.name, "login": None})
                if (name := self._filled_before(client, mount)) is not None:
                    return name
                self._room.expect(client, mount, free=partial(self.remove_unused, client, at_once=True))
                image = stack.enter_context(self._images.held(client, source, temporary=True))
            except docker.errors.APIError as error:
                raise _failed(mount, "had", error) from error
            return self._of_image(client, image, mount)

    def _filled_before(self, client: docker.DockerClient, mount: DataMount) -> str | None:
        """Returns the newest whole volume for this address if the engine does not have the image any more."""
        if local_image(client, mount.image) is not None:
            return None
        labels = {AGENT_LABEL: self._agent_id, ADDRESS_LABEL: mount.image, FOLDER_LABEL: mount.source_path}
        found = client.volumes.list(filters={"label": [f"{name}={value}" for name, value in labels.items()]})
        for volume in sorted(found, key=lambda volume: str(volume.attrs.get("CreatedAt")), reverse=True):
            name = str(volume.name)
            with self._lock(name):
                if _exists(client, name) and _exists(client, name + _WHOLE):
                    self._hold_locked(name)
                    return name
        return None

    def _of_image(self, client: docker.DockerClient, image: Image, mount: DataMount) -> str:
        text = f"{self._agent_id} {image.id} {mount.source_path}"
        name = f"mlp-data-{hashlib.sha256(text.encode()).hexdigest()[:32]}"
        with self._lock(name):
            if not (_exists(client, name) and _exists(client, name + _WHOLE)):
                self._make_whole(client, name, image, mount)
            self._hold_locked(name)
        self._room.found_room(mount)
        return name

    def _hold_locked(self, name: str) -> None:
        self._held[name] += 1
        self._unused_since.pop(name, None)

    def _make_whole(self, client: docker.DockerClient, name: str, image: Image, mount: DataMount) -> None:
        _remove_container(client, name + _FILL)  # of an agent that died
        labels = {AGENT_LABEL: self._agent_id, DATA_LABEL: str(image.id)}
        if not client.containers.list(all=True, filters={"volume": name}):
            _remove(client, name + _WHOLE)
            _remove(client, name)
            self._fill(client, name, image, mount, labels)
        # Instances mount only what is whole: then somebody else has removed the second volume.
        client.volumes.create(name + _WHOLE, labels=labels)

    def _fill(
        self, client: docker.DockerClient, name: str, image: Image, mount: DataMount, labels: dict[str, str]
    ) -> None:
        """Lets the engine copy the folder: it fills an empty volume with what the image has there."""
        own = name + _FILL
        self._kept.add(own)
        try:
            found = client.containers.create(image, ["-"], name=own, labels=labels, network_disabled=True)
            try:
                size = self._room.size(client, own, mount)
            finally:
                found.remove(force=True, v=True)
            with self._room.taken(client, name, mount, size, free=partial(self.remove_unused, client, at_once=True)):
                _copy(client, name, image, mount, {**labels, BYTES_LABEL: str(size)})
        finally:
            self._kept.discard(own)

    def remove_unused(self, client: docker.DockerClient, *, at_once: bool = False) -> int:
        """Removes volumes that no container has used for a while, or does not use now. Returns how many.

        Skips those on which another thread works.
        """
        label = f"{AGENT_LABEL}={self._agent_id}"
        own = {"label": [label, DATA_LABEL]}
        names = {str(volume.name) for volume in client.volumes.list(filters={**own, "dangling": True})}
        every = {str(volume.name) for volume in client.volumes.list(filters=own)}  # has what an older mark belongs to
        now, removed = time.monotonic(), 0
        # A start that comes to use a volume takes it out meanwhile.
        since = self._unused_since = {name: self._unused_since.get(name, now) for name in names}
        for name in sorted(names):
            if name.endswith(_WHOLE):
                if name.removesuffix(_WHOLE) not in every:
                    _remove(client, name)
                continue
            if at_once or now - since.get(name, now) >= self._unused_seconds:
                removed += self._remove_free(client, name)
        return removed

    def _remove_free(self, client: docker.DockerClient, name: str) -> bool:
        lock = self._lock(name)
        if not lock.acquire(blocking=False):
            return False  # waiting could be for ever: the other thread may wait for a volume of this one
        try:
            if self._held[name]:
                return False
            client.volumes.get(name).remove()
            _remove(client, name + _WHOLE)
        except docker.errors.APIError:
            return False  # a container has come to use it, or somebody has removed it
        finally:
            lock.release()
        return True

    def _lock(self, name: str) -> threading.Lock:
        return self._locks.setdefault(name, threading.Lock())


def _copy(client: docker.DockerClient, name: str, image: Image, mount: DataMount, labels: dict[str, str]) -> None:
    """Fills a new volume. Leaves nothing when that fails."""
    described = {**labels, ADDRESS_LABEL: mount.image, FOLDER_LABEL: mount.source_path}
    filled = Mount(mount.source_path, name, type="volume")
    try:
        client.volumes.create(name, labels=described)
        made = client.containers.create(
            image, ["-"], name=name + _FILL, labels=labels, mounts=[filled], network_disabled=True
        )
        made.remove(force=True, v=True)  # with the volumes that the image declares; one with a name stays
    except (docker.errors.DockerException, requests.exceptions.RequestException) as error:
        quietly(lambda: _remove_container(client, name + _FILL))
        quietly(lambda: _remove(client, name))
        if isinstance(error, docker.errors.APIError):
            raise _failed(mount, "copied", error) from error
        raise


def _failed(mount: DataMount, what: str, error: docker.errors.APIError) -> StartFailedError:
    reason = "" if mount.address_hidden else f": {error.explanation}"
    return StartFailedError("DataImageError", f"the data image for {mount.target_path} cannot be {what}{reason}")


def _exists(client: docker.DockerClient, name: str) -> bool:
    try:
        client.volumes.get(name)
    except docker.errors.NotFound:
        return False
    return True


def _remove(client: docker.DockerClient, name: str) -> None:
    with suppress(docker.errors.NotFound):
        client.volumes.get(name).remove()


def _remove_container(client: docker.DockerClient, name: str) -> None:
    with suppress(docker.errors.NotFound):
        client.containers.get(name).remove(force=True, v=True)
