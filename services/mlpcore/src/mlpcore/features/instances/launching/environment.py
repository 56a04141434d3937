"""The environment variables of an instance, and the command and compose file to start one by hand.

Names and their order are those of the public protocol, so that existing models find their variables.
"""

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

import yaml

from mlpcore.features.buckets.objects import StorageAccess, StorageUser
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.settings import MlpcoreSettings
from mlplace_contracts.environment import SERVICE_CONFIG

HOSTNAME = "HOSTNAME"
_HOSTNAME_VALUE = "$(hostname)"
_HOST: Final = "host.docker.internal"
"""The name of a container's host. Docker Desktop knows it; on Linux the command and the file define it."""
_ON_LINUX: Final = f"--network host --add-host {_HOST}:127.0.0.1"
"""A platform that listens on the loopback is reached from the host's own network only."""
_GATES: Final = ("MLP_GRPC_HOST", "MLP_GRPC_HOSTS")
_REST_URL: Final = "MLP_REST_URL"
_S3_ENDPOINT: Final = "MLP_S3_ENDPOINT"
_URLS: Final = (_REST_URL, _S3_ENDPOINT)
_SERVICE_TOKEN = "MLP_SERVICE_TOKEN"  # noqa: S105  the name of a variable


@dataclass(frozen=True, slots=True)
class PlatformAddresses:
    """The platform's addresses as instances reach them. `gates`: `host:port`, never empty."""

    gates: tuple[str, ...]
    rest_url: str
    secure: bool


def platform_addresses(settings: MlpcoreSettings, members: Sequence[str]) -> PlatformAddresses:
    """Uses the configured address of the gates until a gate has announced itself."""
    gates = tuple(members) or (settings.public_grpc_address,)
    return PlatformAddresses(gates=gates, rest_url=settings.public_rest_url, secure=settings.public_grpc_secure)


def storage_user(instance: Instance) -> StorageUser:
    """Returns the instance as one that stores below the prefix that all instances of its model share."""
    prefix = f"models/{instance.account_id}/{instance.model_id}/"
    return StorageUser(instance.instance_id, instance.generation, instance.account_id, prefix)


def platform_environment(
    instance: Instance,
    model: Model,
    token: str,
    addresses: PlatformAddresses,
    *,
    config: str,
    storage: StorageAccess | None,
) -> dict[str, str]:
    """Returns the variables that the platform sets, in the protocol's order.

    `config` is the model's configuration, with or without masks. `storage`: the instance's own access to the bucket.
    """
    return {
        "MLP_ACCOUNT_ID": str(instance.account_id),
        "MLP_MODEL_ID": str(instance.model_id),
        "MLP_INSTANCE_ID": str(instance.instance_id),
        "MLP_MODEL_NAME": model.name,
        HOSTNAME: _HOSTNAME_VALUE,
        _SERVICE_TOKEN: token,
        _REST_URL: addresses.rest_url,
        "MLP_GRPC_HOST": addresses.gates[0],
        "MLP_GRPC_HOSTS": ",".join(addresses.gates),
        "MLP_GRPC_SECURE": "true" if addresses.secure else "false",
        SERVICE_CONFIG: config,
        **_storage_environment(f"{storage_user(instance).prefix}0", storage),
    }


def _storage_environment(folder: str, storage: StorageAccess | None) -> dict[str, str]:
    """Without a bucket, storage is a folder; the bucket is then empty, but set, as the public SDK fails without it."""
    if storage is None:
        return {"MLP_STORAGE_TYPE": "local", "MLP_S3_BUCKET": "", "MLP_STORAGE_DIR": folder}
    return {
        "MLP_STORAGE_TYPE": "s3",
        _S3_ENDPOINT: storage.url,
        "MLP_S3_BUCKET": storage.bucket,
        "MLP_S3_ACCESS_KEY": storage.access_key,
        "MLP_S3_SECRET_KEY": storage.secret_key,
        "MLP_STORAGE_DIR": folder,
        "MLP_S3_REGION": storage.region,
    }


def docker_command(image: str, environment: Mapping[str, str], *, withheld: Collection[str] = ()) -> str:
    """Returns a command for a POSIX shell. The shell fills in the host's name; every other value is quoted.

    `withheld`: names that are passed without a value, from the variables of the shell. A platform on the loopback of
    the host is reached on Linux, and from Docker Desktop.
    """
    parts = ["docker", "run", "-d", "--restart", "always"]
    reached = from_container(environment)
    if reached != environment:
        parts.append(f'$(test "$(uname)" = Linux && echo {_ON_LINUX})')
    for name, value in reached.items():
        if name in withheld:
            parts += ["-e", name]
            continue
        entry = f'"{HOSTNAME}={_HOSTNAME_VALUE}"' if (name, value) == (HOSTNAME, _HOSTNAME_VALUE) else None
        parts += ["-e", entry or shlex.quote(f"{name}={value}")]
    return " ".join([*parts, shlex.quote(image)])


def compose_file(service: str, image: str, environment: Mapping[str, str], *, withheld: Collection[str] = ()) -> str:
    """Doubles `$`, which Compose reads as a variable. Leaves out the host's name, because there is no shell to fill it.

    `withheld`: names that are listed without a value; Compose takes it from its own environment. A platform on the
    loopback of the host is reached on Linux; a comment says what to delete elsewhere.
    """
    reached = from_container(environment)
    values = {
        name: None if name in withheld else value.replace("$", "$$")
        for name, value in reached.items()
        if (name, value) != (HOSTNAME, _HOSTNAME_VALUE)
    }
    content: dict[str, object] = {"image": image, "restart": "always"}
    comment = ""
    if reached != environment:
        content |= {"network_mode": "host", "extra_hosts": [f"{_HOST}:127.0.0.1"]}
        comment = "# With Docker Desktop (macOS, Windows): delete network_mode and extra_hosts.\n"
    document = {"services": {service: {**content, "environment": values}}}
    return comment + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=10_000)


def from_container(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables with addresses at which a container reaches a platform on the loopback of its host."""
    reached = dict(environment)
    for name in _GATES:
        if name in reached:
            reached[name] = ",".join(map(_gate_from_container, reached[name].split(",")))
    for name in _URLS:
        if name in reached:
            reached[name] = _url_from_container(reached[name])
    return reached


def _url_from_container(address: str) -> str:
    url = urlsplit(address)
    if not _is_loopback(url.hostname or ""):
        return address
    port = "" if url.port is None else f":{url.port}"
    return url._replace(netloc=f"{_HOST}{port}").geturl()


def _gate_from_container(address: str) -> str:
    host, _, port = address.rpartition(":")
    return f"{_HOST}:{port}" if _is_loopback(host.strip("[]")) else address


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
