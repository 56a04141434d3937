"""Credentials of registries on the wire. Requests carry passwords, responses never do."""

import re
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr, StringConstraints
from pydantic_core import PydanticCustomError

from mlplace_kit.image_addresses import registry_host
from mlplace_kit.wire import Input, Output

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*(?::\d{{1,5}})?", re.ASCII)
_LARGEST_PORT = 65_535
_MOST_PASSWORD = 16 * 1024
"""Some registries take a token or a whole key file as the password."""


def _check_host(text: str) -> str:
    host = registry_host(text) if _HOST.fullmatch(text) else None
    _, colon, port = text.partition(":")
    if host is None or (colon and not 0 < int(port) <= _LARGEST_PORT):
        raise PydanticCustomError(
            "registry_host", "use the host of a registry such as registry.example:5000, or docker.io"
        )
    return host


RegistryHost = Annotated[str, StringConstraints(max_length=255), AfterValidator(_check_host)]
# HTTP's basic authentication ends the name at the first colon.
Username = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^:\x00-\x1f\x7f]+$")]
Password = Annotated[SecretStr, Field(min_length=1, max_length=_MOST_PASSWORD)]


class RegistryCredentialCreateData(Input):
    """`host`: the registry as it is written in addresses of images, with its port; `docker.io` for Docker Hub."""

    host: RegistryHost
    username: Username
    password: Password


class RegistryCredentialReplaceData(Input):
    """Instances that servers have got keep the old ones until they are replaced."""

    username: Username
    password: Password


class RegistryCredentialData(Output):
    """`version` rises with each change. `createdBy` and `updatedBy`: logins, or names of API keys."""

    credential_id: int
    host: str
    username: str
    version: int
    created_at: datetime
    created_by: str
    updated_at: datetime
    updated_by: str
