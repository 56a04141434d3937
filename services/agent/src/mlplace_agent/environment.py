"""Builds an instance's environment from the variables of the platform, of the model's owner and of this server."""

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
    """The few variables that a program needs from its host. No other variable of the agent reaches an instance."""
    found = {name: os.environ[name] for name in _FROM_HOST if name in os.environ}
    return {"PATH": _DEFAULT_PATH, "LANG": "C.UTF-8", **found}


def process_environment(
    instance: DesiredInstance, *, allowed: Iterable[str], base: Mapping[str, str], home: str
) -> dict[str, str]:
    """The environment of a plain process. Variables of the model's owner are taken if the server allows them.

    Variables of the platform are applied last, so that nobody can point an instance at another gate or storage.
    """
    names = frozenset(allowed)
    environment = dict(base)
    environment["HOME"] = home
    environment["HOSTNAME"] = socket.gethostname()
    environment.update({name: value for name, value in instance.service_env.items() if name in names})
    environment.update({n: v for n, v in instance.platform_env.items() if _FROM_PLATFORM.fullmatch(n)})
    return environment


def http_environment(host: str, port: int) -> dict[str, str]:
    """The variables that tell an instance where to listen."""
    return {HTTP_HOST: host, HTTP_PORT: str(port)}


def container_environment(instance: DesiredInstance, *, http_host: str = ANYWHERE) -> dict[str, str]:
    """The environment of a container: all variables of the model's owner, overridden by those of the platform.

    `http_host` must be narrower than the default for a container that shares the host's network.
    """
    platform = {name: value for name, value in instance.platform_env.items() if name != "HOSTNAME"}
    http = {} if instance.http_port is None else http_environment(http_host, instance.http_port)
    return {**instance.service_env, **platform, **http}
