"""Replaces itself with the program after arranging to be killed when the agent dies.

Runs as a file with the standard library alone. Arguments: the agent's process id, then the command.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    agent = int(sys.argv[1])
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != agent:  # the agent died before prctl took effect
        os._exit(125)
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606  the command is the operator's, from the agent's configuration


if __name__ == "__main__":
    main()
