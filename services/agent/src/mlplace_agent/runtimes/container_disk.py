"""Asks the Docker engine what containers hold on its disk, and whether it can limit that."""

import docker
import docker.errors
import requests.exceptions
from docker.models.containers import Container
from pydantic import BaseModel, Field, TypeAdapter, ValidationError


class _Engine(BaseModel):
    driver: str = Field(default="", alias="Driver")
    status: list[tuple[str, str]] | None = Field(default=None, alias="DriverStatus")


def has_quotas(client: docker.DockerClient) -> bool:
    """Only overlay2 on XFS limits what a container writes, without counting its image."""
    engine = _Engine.model_validate(client.info())
    return engine.driver == "overlay2" and ("Backing Filesystem", "xfs") in (engine.status or ())


class _Listed(BaseModel):
    written: int = Field(default=0, alias="SizeRw")


_LISTED = TypeAdapter(list[_Listed])


class _Volume(BaseModel):
    class Usage(BaseModel):
        size: int = Field(default=0, alias="Size")

    name: str = Field(alias="Name")
    usage: Usage | None = Field(default=None, alias="UsageData")


class _Volumes(BaseModel):
    volumes: list[_Volume] | None = Field(default=None, alias="Volumes")


def disk_use(container: Container) -> int | None:
    """Returns what the container has written: to its own layer, and to the volumes that its image declares.

    Volumes that it only reads have the files of data images. None if the engine does not tell.
    """
    api = container.client.api if container.client is not None else None
    if api is None:
        return None
    try:
        told = api.containers(all=True, size=True, filters={"id": container.id})  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]  # the SDK's types lack it
        written = sum(listed.written for listed in _LISTED.validate_python(told))
        names = {
            mount.get("Name")
            for mount in container.attrs.get("Mounts", ())
            if mount.get("Type") == "volume" and mount.get("RW", True)
        }
        if not names:
            return written
        volumes = _Volumes.model_validate(api.df()).volumes or []
    except (docker.errors.DockerException, requests.exceptions.RequestException, ValidationError):
        return None
    return written + sum(max(0, v.usage.size) for v in volumes if v.name in names and v.usage is not None)
