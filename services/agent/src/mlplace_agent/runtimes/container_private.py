"""Images of private registries. The engine keeps them under names with which no account can ask for them."""

import hashlib
import re
from dataclasses import dataclass

import docker
import docker.errors
from pydantic import BaseModel, Field

from mlplace_contracts.internal.hosting import RegistryLogin
from mlplace_kit.image_addresses import DOCKER_HUB, registry_of, repository_of, split_tag

_HOST = "mlplace.invalid"
_REPOSITORY = f"{_HOST}/private"
_HUB_SERVER = "https://index.docker.io/v1/"  # the only name by which engines know it in credentials
_DIGEST = re.compile(r"sha256:[a-f0-9]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ImageSource:
    """`name`: under which the engine keeps the image. `address`: what is pulled, with `login` if that is private."""

    name: str
    address: str
    login: RegistryLogin | None = None

    def pull_arguments(self) -> tuple[str, str | None, dict[str, str] | None]:
        """Returns repository, tag and credentials as the SDK takes them."""
        repository, tag = split_tag(self.address)
        return repository, tag, _credentials(self.login) if self.login is not None else None


class _Descriptor(BaseModel):
    digest: str


class _Distribution(BaseModel):
    descriptor: _Descriptor = Field(alias="Descriptor")


def is_private_name(address: str) -> bool:
    return registry_of(address) == _HOST


def private_source(client: docker.DockerClient, address: str, login: RegistryLogin) -> ImageSource:
    """Asks the registry for the image to which the credentials give a right now. Raises docker.errors.

    The name is made of the digest, so accounts with a right to the same image share it.
    """
    told = client.api.inspect_distribution(address, auth_config=_credentials(login))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # the SDK's types lack it
    digest = _Distribution.model_validate(told).descriptor.digest
    if not _DIGEST.fullmatch(digest):
        raise docker.errors.ImageNotFound(
            "not a digest", explanation=f"the registry has no SHA-256 digest of {address}"
        )
    reference = f"{repository_of(address)}@{digest}"
    name = f"{_REPOSITORY}:{hashlib.sha256(reference.encode()).hexdigest()}"
    return ImageSource(name=name, address=reference, login=login)


def demand_right(client: docker.DockerClient, address: str) -> None:
    """Asks the registry for the image without credentials of an account. Raises docker.errors."""
    client.api.inspect_distribution(address)  # pyright: ignore[reportUnknownMemberType]  # the SDK's types lack it


def _credentials(login: RegistryLogin) -> dict[str, str]:
    server = _HUB_SERVER if login.host == DOCKER_HUB else login.host
    return {"username": login.username, "password": login.password, "serveraddress": server}
