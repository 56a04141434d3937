"""Replaces itself with the program after arranging to be killed when the agent dies.

Runs as a file with the standard library alone. Arguments: the agent's process id, the niceness, then the command.
"""

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1


def main() -> None:
    agent = int(sys.argv[1])
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != agent:  # the agent died before prctl took effect
        os._exit(125)
    _yield_to_others(int(sys.argv[2]))
    os.execvp(sys.argv[3], sys.argv[3:])  # noqa: S606  the command is the operator's, from the agent's configuration


def _yield_to_others(niceness: int) -> None:
    """Linux may divide the processors by session first; then the niceness of the session counts."""
    if niceness <= 0:
        return
    os.nice(niceness)
    with contextlib.suppress(OSError), Path("/proc/self/autogroup").open("w", encoding="ascii") as group:
        group.write(str(niceness))


if __name__ == "__main__":
    main()
