"""Ports of servers that must know their port before they start, or keep it across restarts.

A port that the system chose (port 0) can become the local port of any outgoing connection between its choice and the
start of its server. So these ports lie below the range of outgoing connections, and all processes of one user take
them from one counter: no two tests get the same one until the range begins anew.

`python -m mlplace_testing.ports N` prints N ports whose number + 10 is free too.
"""

import argparse
import contextlib
import fcntl
import os
import socket
import tempfile
from pathlib import Path
from typing import Final

# Above the well-known servers and those of a cluster, below its node ports and the outgoing connections of Linux and
# macOS.
_FIRST, _BEHIND_LAST = 24_000, 27_000
_COUNTER: Final = Path(tempfile.gettempdir()) / f"mlplace-test-ports-{os.getuid()}"


def free_port(*offsets: int) -> int:
    """Returns a port that is free on all addresses, as is that port plus each offset. Raises OSError if all are taken.

    The gate of a platform listens on the HTTP port + 10.
    """
    # Not "a+": a file that another user made beforehand must not be written through a link.
    descriptor = os.open(_COUNTER, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "r+") as counter:
        fcntl.flock(counter, fcntl.LOCK_EX)
        said = counter.read()
        last = int(said) if said.isdigit() else _FIRST
        for step in range(1, _BEHIND_LAST - _FIRST):
            port = _FIRST + (last - _FIRST + step) % (_BEHIND_LAST - _FIRST)
            if all(_is_free(port + offset) for offset in (0, *offsets)):
                counter.seek(0)
                counter.truncate()
                counter.write(str(port + max(offsets, default=0)))
                return port
    raise OSError(f"no port from {_FIRST} to {_BEHIND_LAST - 1} is free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe, contextlib.suppress(OSError):
        probe.bind(("", port))
        return True
    return False


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="mlplace_testing.ports")
    parser.add_argument("count", type=int)
    print(*(free_port(10) for _ in range(parser.parse_args().count)))  # noqa: T201  its result
