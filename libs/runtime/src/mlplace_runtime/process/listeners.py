"""Closes a port under load without resetting connections that were just opened.

Closing a listening socket resets connections that the kernel has accepted and the process has not. A proxy may have
sent a request there already, which it must not repeat. So first the kernel drops packets of new connections, then the
process accepts what is waiting, and then the port is closed. A new client retries after a second and is refused, so it
goes elsewhere.
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
    """Returns when no new connection can be affected by closing. Only waits if the kernel has no such filter."""
    for listener in listeners:
        program = ctypes.create_string_buffer(_DROP_ALL, len(_DROP_ALL))
        with contextlib.suppress(OSError):
            listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", 1, ctypes.addressof(program)))
    await asyncio.sleep(_TAKING_SECONDS)


def listeners_at(port: int) -> list[socket.socket]:
    """Returns duplicates of this process's sockets that listen on the port, whichever library owns them. Linux only.

    Close the duplicates. `shutdown` on one of them closes the port.
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
