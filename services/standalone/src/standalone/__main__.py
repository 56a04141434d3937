import os
import signal
import sys

# The gate's threads must not be asked to survive a fork: child processes are programs of their own.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")


def _leave(_number: int, _frame: object) -> None:
    """While modules load there is nothing to stop, and an exception may come out of any of them."""
    os._exit(0)


signal.signal(signal.SIGINT, _leave)

from standalone.cli import main  # noqa: E402  after the above

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
