"""What an instance finds in its environment, and how a person starts one by hand.

Names and their order are those of the public protocol, so that existing services find what they look for.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import yaml

from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.settings import MlpcoreSettings

HOSTNAME = "HOSTNAME"
_HOSTNAME_VALUE = "$(hostname)"
_SERVICE_TOKEN = "MLP_SERVICE_TOKEN"  # noqa: S105  the name of a variable
_SECRET_WORDS = ("TOKEN", "SECRET", "PASSWORD", "KEY", "CREDENTIAL")
_MASK = "********"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where the platform can be reached from an instance. `gates`: `host:port`, never empty."""

    gates: tuple[str, ...]
    rest_url: str
    secure: bool


def surroundings(settings: MlpcoreSettings, members: Sequence[str]) -> Surroundings:
    """Before any gate has announced itself, the configured address must do."""
    gates = tuple(members) or (settings.public_grpc_address,)
    return Surroundings(gates=gates, rest_url=settings.public_rest_url, secure=settings.public_grpc_secure)


def platform_environment(instance: Instance, model: Model, token: str, around: Surroundings) -> dict[str, str]:
    """Everything that the platform sets, in the protocol's order. No S3 is configured: storage is a folder."""
    return {
        "MLP_ACCOUNT_ID": str(instance.account_id),
        "MLP_MODEL_ID": str(instance.model_id),
        "MLP_INSTANCE_ID": str(instance.instance_id),
        "MLP_MODEL_NAME": model.name,
        HOSTNAME: _HOSTNAME_VALUE,
        _SERVICE_TOKEN: token,
        "MLP_REST_URL": around.rest_url,
        "MLP_GRPC_HOST": around.gates[0],
        "MLP_GRPC_HOSTS": ",".join(around.gates),
        "MLP_GRPC_SECURE": "true" if around.secure else "false",
        "SERVICE_CONFIG": model.config or "{}",
        "MLP_STORAGE_TYPE": "local",
        "MLP_STORAGE_DIR": f"models/{instance.account_id}/{instance.model_id}/0",
    }


def service_environment(model: Model, platform: Mapping[str, str]) -> dict[str, str]:
    """What the owner sets; a name that the platform sets is not theirs."""
    try:
        loaded: object = json.loads(model.env or "{}")
    except ValueError:
        return {}
    if not isinstance(loaded, dict):
        return {}
    entries = cast("dict[str, object]", loaded)
    return {name: _text(value) for name, value in entries.items() if name not in platform}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def masked(environment: Mapping[str, str]) -> dict[str, str]:
    """For those who may read but not change: values of secret-like names are hidden."""
    hidden = {name for name in environment if any(word in name.upper() for word in _SECRET_WORDS)}
    return {name: _MASK if name in hidden else value for name, value in environment.items()}


def docker_command(image: str, environment: Mapping[str, str]) -> str:
    """For a POSIX shell, which puts the host's name in; every other value is quoted."""
    parts = ["docker", "run", "-d", "--restart", "always"]
    for name, value in environment.items():
        entry = f'"{HOSTNAME}={_HOSTNAME_VALUE}"' if (name, value) == (HOSTNAME, _HOSTNAME_VALUE) else None
        parts += ["-e", entry or shlex.quote(f"{name}={value}")]
    return " ".join([*parts, shlex.quote(image)])


def compose_file(service: str, image: str, environment: Mapping[str, str]) -> str:
    """Compose reads `$` as a variable: it is doubled. There is no shell, so the host's name stays out."""
    values = {n: v.replace("$", "$$") for n, v in environment.items() if (n, v) != (HOSTNAME, _HOSTNAME_VALUE)}
    document = {"services": {service: {"image": image, "restart": "always", "environment": values}}}
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=10_000)
