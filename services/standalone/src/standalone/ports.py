"""Binds the platform's ports and translates failures into messages for the user."""

import errno
import socket

from mlplace_runtime.process.http import binding
from standalone.problems import AddressUnusableError, PortBusyError


def listen(host: str, port: int, *, option: str) -> socket.socket:
    """A bound socket. Raises PortBusyError, AddressUnusableError."""
    try:
        return binding.listen(host, port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortBusyError(port, option) from None
        raise AddressUnusableError(host, port, str(error.strerror or error).lower()) from None


def assert_port_free(host: str, port: int, *, option: str) -> None:
    """For ports that a library binds itself."""
    listen(host, port, option=option).close()
