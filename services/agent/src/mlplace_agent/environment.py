"""Builds an instance's environment from the variables of the platform, of the model's owner and of this server."""

import os
import re
import socket
from collections.abc import Iterable, Mapping

from mlplace_agent.listening import ANYWHERE
from mlplace_contracts.environment import CUDA_DEVICES, GPU_MEMORY_MB, HTTP_HOST, HTTP_PORT, NVIDIA_DEVICES
from mlplace_contracts.internal.hosting import DesiredInstance

_FROM_PLATFORM = re.compile(r"(MLP_[A-Z0-9_]+|SERVICE_CONFIG)", re.ASCII)
_FROM_HOST = ("PATH", "LANG", "LC_ALL", "TZ")
_CHOOSES_DEVICES = re.compile(
    r"(?:CUDA|NVIDIA|HIP|ROCR|GPU|ZE)_(?:VISIBLE_DEVICES|DEVICE_ORDINAL|AFFINITY_MASK)"
    r"|NVIDIA_MIG_[A-Z_]+|NVIDIA_IMEX_CHANNELS|DOCKER_RESOURCE_.*",
    re.ASCII,
)
"""Variables by which the libraries and container runtimes of GPUs choose devices."""
_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def host_environment() -> dict[str, str]:
    """The few variables that a program needs from its host. No other variable of the agent reaches an instance."""
    found = {name: os.environ[name] for name in _FROM_HOST if name in os.environ}
    return {"PATH": _DEFAULT_PATH, "LANG": "C.UTF-8", **found}


def process_environment(
    instance: DesiredInstance, *, allowed: Iterable[str], base: Mapping[str, str], home: str, temporary: str
) -> dict[str, str]:
    """The environment of a plain process. Variables of the model's owner are taken if the server allows them.

    Variables of the platform are applied last, so that nobody can point an instance at another gate or storage.
    """
    names = frozenset(allowed)
    environment = dict(base)
    environment["HOME"] = home
    environment["TMPDIR"] = temporary
    environment["HOSTNAME"] = socket.gethostname()
    environment.update({name: value for name, value in _of_owner(instance).items() if name in names})
    environment.update({n: v for n, v in instance.platform_env.items() if _FROM_PLATFORM.fullmatch(n)})
    environment.update(gpu_environment(instance))
    return environment


def _of_owner(instance: DesiredInstance) -> dict[str, str]:
    return {name: value for name, value in instance.service_env.items() if not _CHOOSES_DEVICES.fullmatch(name)}


def gpu_environment(instance: DesiredInstance) -> dict[str, str]:
    """The variables that show an instance its GPUs and hide all others. Nobody can override them.

    `void` tells NVIDIA's container runtime to add no GPU, whatever the image asks for; an empty list hides all from
    CUDA.
    """
    ids = ",".join(instance.gpu_ids)
    shown = {CUDA_DEVICES: ids, NVIDIA_DEVICES: ids or "void"}
    if instance.gpu_memory_mb is None:
        return shown
    return {**shown, GPU_MEMORY_MB: str(instance.gpu_memory_mb)}


def http_environment(host: str, port: int) -> dict[str, str]:
    """The variables that tell an instance where to listen."""
    return {HTTP_HOST: host, HTTP_PORT: str(port)}


def container_environment(instance: DesiredInstance, *, http_host: str = ANYWHERE) -> dict[str, str]:
    """The environment of a container: all variables of the model's owner, overridden by those of the platform.

    `http_host` must be narrower than the default for a container that shares the host's network.
    """
    platform = {name: value for name, value in instance.platform_env.items() if name != "HOSTNAME"}
    http = {} if instance.http_port is None else http_environment(http_host, instance.http_port)
    return {**_of_owner(instance), **platform, **http, **gpu_environment(instance)}
