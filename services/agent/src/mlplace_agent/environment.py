"""The environment of an instance, put together from what the platform, the owner and this server have to say."""

import os
import re
import socket
from collections.abc import Iterable, Mapping

from mlplace_agent.listening import ANYWHERE
from mlplace_contracts.environment import HTTP_HOST, HTTP_PORT
from mlplace_contracts.internal.hosting import DesiredInstance

_FROM_PLATFORM = re.compile(r"(MLP_[A-Z0-9_]+|SERVICE_CONFIG)", re.ASCII)
_FROM_HOST = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR")
_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def host_environment() -> dict[str, str]:
    """The few names that a program needs of its host. Nothing else of the agent's own environment is passed on."""
    found = {name: os.environ[name] for name in _FROM_HOST if name in os.environ}
    return {"PATH": _DEFAULT_PATH, "LANG": "C.UTF-8", **found}


def process_environment(
    instance: DesiredInstance, *, allowed: Iterable[str], base: Mapping[str, str], home: str
) -> dict[str, str]:
    """For a plain process: the owner's names count only when this server's configuration lists them.

    What the platform sets goes last: nobody can point an instance at another gate or storage.
    """
    names = frozenset(allowed)
    environment = dict(base)
    environment["HOME"] = home
    environment["HOSTNAME"] = socket.gethostname()
    environment.update({name: value for name, value in instance.service_env.items() if name in names})
    environment.update({n: v for n, v in instance.platform_env.items() if _FROM_PLATFORM.fullmatch(n)})
    return environment


def http_environment(host: str, port: int) -> dict[str, str]:
    """Where an instance shall listen."""
    return {HTTP_HOST: host, HTTP_PORT: str(port)}


def container_environment(instance: DesiredInstance, *, http_host: str = ANYWHERE) -> dict[str, str]:
    """For a container, which holds its own world: all names of the owner, then those of the platform.

    `http_host` is narrower for one that shares the host's addresses.
    """
    platform = {name: value for name, value in instance.platform_env.items() if name != "HOSTNAME"}
    http = {} if instance.http_port is None else http_environment(http_host, instance.http_port)
    return {**instance.service_env, **platform, **http}
