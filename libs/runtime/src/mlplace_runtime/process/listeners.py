"""Closing a port under load without cutting off a connection that somebody has just opened to it.

To close a listening socket resets what the kernel has accepted and the process has not: a proxy in front may have sent
a request there already, which it must not repeat. So the kernel first drops what newcomers send, what was accepted is
taken, and then the port is closed. A newcomer tries again after a second, and is refused: it goes elsewhere.
"""

import asyncio
import contextlib
import ctypes
import os
import socket
import struct
from pathlib import Path

_SO_ATTACH_FILTER = getattr(socket, "SO_ATTACH_FILTER", 26)
_DROP_ALL = struct.pack("HBBI", 0x06, 0, 0, 0)  # classic BPF: return 0 bytes of the packet
_TAKING_SECONDS = 0.1


async def refuse_newcomers(*listeners: socket.socket) -> None:
    """Returns when nobody new can be in the way of a close. Where the kernel has no such filter it just waits."""
    for listener in listeners:
        program = ctypes.create_string_buffer(_DROP_ALL, len(_DROP_ALL))
        with contextlib.suppress(OSError):
            listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", 1, ctypes.addressof(program)))
    await asyncio.sleep(_TAKING_SECONDS)


def listeners_at(port: int) -> list[socket.socket]:
    """The sockets of this process that listen on the port, whichever library holds them. Linux only, else none.

    They are copies: close them. To `shutdown` one closes the port.
    """
    found: list[socket.socket] = []
    with contextlib.suppress(OSError):
        for entry in list(Path("/proc/self/fd").iterdir()):
            with contextlib.suppress(OSError):
                candidate = socket.socket(fileno=os.dup(int(entry.name)))
                if _listens_at(candidate, port):
                    found.append(candidate)
                else:
                    candidate.close()
    return found


def _listens_at(candidate: socket.socket, port: int) -> bool:
    if candidate.family not in {socket.AF_INET, socket.AF_INET6}:
        return False
    listens = candidate.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    return bool(listens) and candidate.getsockname()[1] == port
