"""Gets images from the engine or their registry."""

import hashlib
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, suppress

import docker
import docker.errors
import requests.exceptions
from docker.models.images import Image
from pydantic import BaseModel, Field

from mlplace_agent.runtimes.container_options import AGENT_LABEL
from mlplace_agent.runtimes.container_private import ImageSource, demand_right, is_private_name, private_source
from mlplace_contracts.internal.hosting import RegistryLogin
from mlplace_kit.image_addresses import full_address, registry_of, split_tag

PULLED_LABEL = "ai.mlplace.agent.pulled"
_CONFLICT = 409


class Images:
    """Its methods block, and may be called from several threads.

    An image that only a copy needs is removed after it, and an image that was pulled with credentials loses the name
    under which other accounts would find it. Before such an image is pulled, an empty volume gets the name to remove as
    a label: the agent may die before it does so.
    """

    def __init__(self, *, agent_id: str) -> None:
        self._agent_id = agent_id
        self._locks: dict[str, threading.Lock] = {}
        self._held: Counter[str] = Counter()
        self._hidden: set[str] = set()
        """Full addresses that the engine has for a moment, until a private image has lost them."""

    def source(self, client: docker.DockerClient, address: str, login: RegistryLogin | None) -> ImageSource:
        """Finds out what the engine needs for the image. Raises docker.errors.

        With credentials the registry is asked each time whether they still suffice. An image that the engine has under
        its address was never pulled with credentials, and every account may use it. The engine is given full addresses
        only: it also takes a part of an image's id for a name, and removes the image that it finds so.
        """
        address = full_address(address)
        if is_private_name(address):
            raise docker.errors.ImageNotFound("not an address of a registry", explanation=f"no image {address}")
        plain = ImageSource(name=address, address=address)
        if login is None or login.host != registry_of(address) or self._local(client, address) is not None:
            return plain
        return private_source(client, address, login)

    @contextmanager
    def held(self, client: docker.DockerClient, source: ImageSource, *, temporary: bool = False) -> Generator[Image]:
        """Yields the engine's image, pulled if there is none. It stays until the end of the block.

        `temporary`: an image that was pulled here is removed then, unless a container uses it. Raises docker.errors.
        """
        try:
            with self._in_use(source.name):
                yield self._local(client, source.name) or self._pulled(client, source, temporary=temporary)
        finally:
            if temporary:
                self._drop(client, source.name)

    def _local(self, client: docker.DockerClient, address: str) -> Image | None:
        return None if full_address(address) in self._hidden else local_image(client, address)

    def _pulled(self, client: docker.DockerClient, source: ImageSource, *, temporary: bool) -> Image:
        if temporary:
            self._note(client, source.name)
        if source.login is None:
            if "@" in source.address:
                # The engine asks no registry for a digest that it knows, whoever pulled it before.
                demand_right(client, source.address)
            return _pull(client, source)
        return self._pulled_privately(client, source)

    def _pulled_privately(self, client: docker.DockerClient, source: ImageSource) -> Image:
        """Pulls by digest, which gives the image no other name, and replaces that name."""
        try:
            with self._in_use(source.address):
                self._note(client, source.address)
                self._hidden.add(full_address(source.address))
                image = _pull(client, source)
                image.tag(*split_tag(source.name))
        finally:
            self._drop(client, source.address)
        return client.images.get(source.name)

    def _note(self, client: docker.DockerClient, name: str) -> None:
        client.volumes.create(self._mark(name), labels={AGENT_LABEL: self._agent_id, PULLED_LABEL: name})

    @contextmanager
    def _in_use(self, name: str) -> Generator[None]:
        with self._lock(name):
            self._held[name] += 1
        try:
            yield
        finally:
            with self._lock(name):
                self._held[name] -= 1

    def remove_temporary(self, client: docker.DockerClient) -> None:
        """Removes names of images that must not stay, of an agent that died as well."""
        labels = {"label": [f"{AGENT_LABEL}={self._agent_id}", PULLED_LABEL]}
        for volume in client.volumes.list(filters=labels):
            self._drop(client, str(volume.attrs["Labels"][PULLED_LABEL]))

    def _drop(self, client: docker.DockerClient, address: str) -> None:
        """Removes the name if it must not stay, but not while somebody in this agent needs it."""
        with self._lock(address), suppress(docker.errors.DockerException, requests.exceptions.RequestException):
            if self._held[address]:
                return
            mark = client.volumes.get(self._mark(address))
            try:
                client.images.remove(full_address(address))
            except docker.errors.ImageNotFound:
                pass
            except docker.errors.APIError as error:
                if error.status_code != _CONFLICT:
                    raise
                if full_address(address) in self._hidden:
                    return
                # A container uses it: now it is the image of a service, too.
            mark.remove()
            self._hidden.discard(full_address(address))

    def _mark(self, address: str) -> str:
        return f"mlp-pulled-{hashlib.sha256(f'{self._agent_id} {address}'.encode()).hexdigest()[:32]}"

    def _lock(self, address: str) -> threading.Lock:
        return self._locks.setdefault(address, threading.Lock())


def _pull(client: docker.DockerClient, source: ImageSource) -> Image:
    repository, tag, credentials = source.pull_arguments()
    pulled = client.images.pull(repository, tag, auth_config=credentials)
    if not _has_name(pulled, source.address):
        text = f"no image {source.address}"
        raise docker.errors.ImageNotFound("the registry's image has another name", explanation=text)
    return pulled


def local_image(client: docker.DockerClient, address: str) -> Image | None:
    """Returns the engine's image of this address. Raises docker.errors.

    The engine also finds images by a part of their id, so a name of hexadecimal digits could be another account's
    image: it must have the address as a name.
    """
    with suppress(docker.errors.ImageNotFound):
        found = client.images.get(address)
        if _has_name(found, address):
            return found
    return None


class _Names(BaseModel):
    tags: list[str] | None = Field(default=None, alias="RepoTags")
    digests: list[str] | None = Field(default=None, alias="RepoDigests")


def _has_name(image: Image, address: str) -> bool:
    names = _Names.model_validate(image.attrs)
    return full_address(address) in {full_address(name) for name in [*(names.tags or ()), *(names.digests or ())]}
