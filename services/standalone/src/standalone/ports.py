"""The ports of the platform, with the sentence for the user whose port is taken."""

import socket

from mlplace_runtime.process import http_server
from standalone.problems import PortBusyError


def listen(host: str, port: int, *, variable: str) -> socket.socket:
    """A bound socket. Raises PortBusyError."""
    try:
        return http_server.listen(host, port)
    except OSError:
        raise PortBusyError(port, variable) from None


def assert_port_free(host: str, port: int, *, variable: str) -> None:
    """For ports that another library binds itself."""
    listen(host, port, variable=variable).close()
