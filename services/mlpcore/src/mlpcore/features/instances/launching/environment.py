"""The environment variables of an instance, and the command and compose file to start one by hand.

Names and their order are those of the public protocol, so that existing models find their variables.
"""

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import yaml

from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.settings import MlpcoreSettings
from mlplace_contracts.environment import SERVICE_CONFIG

HOSTNAME = "HOSTNAME"
_HOSTNAME_VALUE = "$(hostname)"
_SERVICE_TOKEN = "MLP_SERVICE_TOKEN"  # noqa: S105  the name of a variable


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The platform's addresses as instances reach them. `gates`: `host:port`, never empty."""

    gates: tuple[str, ...]
    rest_url: str
    secure: bool


def surroundings(settings: MlpcoreSettings, members: Sequence[str]) -> Surroundings:
    """Uses the configured address of the gates until a gate has announced itself."""
    gates = tuple(members) or (settings.public_grpc_address,)
    return Surroundings(gates=gates, rest_url=settings.public_rest_url, secure=settings.public_grpc_secure)


def platform_environment(
    instance: Instance, model: Model, token: str, around: Surroundings, *, config: str
) -> dict[str, str]:
    """Returns the variables that the platform sets, in the protocol's order.

    Storage is a folder, so the bucket is empty; the variable is set because the public SDK fails without it. `config`
    is the model's configuration, with or without masks.
    """
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
        SERVICE_CONFIG: config,
        "MLP_STORAGE_TYPE": "local",
        "MLP_S3_BUCKET": "",
        "MLP_STORAGE_DIR": f"models/{instance.account_id}/{instance.model_id}/0",
    }


def docker_command(image: str, environment: Mapping[str, str], *, withheld: Collection[str] = ()) -> str:
    """Returns a command for a POSIX shell. The shell fills in the host's name; every other value is quoted.

    `withheld`: names that are passed without a value, from the variables of the shell.
    """
    parts = ["docker", "run", "-d", "--restart", "always"]
    for name, value in environment.items():
        if name in withheld:
            parts += ["-e", name]
            continue
        entry = f'"{HOSTNAME}={_HOSTNAME_VALUE}"' if (name, value) == (HOSTNAME, _HOSTNAME_VALUE) else None
        parts += ["-e", entry or shlex.quote(f"{name}={value}")]
    return " ".join([*parts, shlex.quote(image)])


def compose_file(service: str, image: str, environment: Mapping[str, str], *, withheld: Collection[str] = ()) -> str:
    """Doubles `$`, which Compose reads as a variable. Leaves out the host's name, because there is no shell to fill it.

    `withheld`: names that are listed without a value; Compose takes it from its own environment.
    """
    values = {
        name: None if name in withheld else value.replace("$", "$$")
        for name, value in environment.items()
        if (name, value) != (HOSTNAME, _HOSTNAME_VALUE)
    }
    document = {"services": {service: {"image": image, "restart": "always", "environment": values}}}
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=10_000)
