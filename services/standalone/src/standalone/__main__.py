import os
import signal
import sys

# The gate's gRPC library must not set up fork handlers: child processes run other programs.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")


def _leave(_number: int, _frame: object) -> None:
    """Exit at once: nothing runs yet, and an exception during an import could be raised in any module."""
    os._exit(0)


signal.signal(signal.SIGINT, _leave)

from standalone.cli import main  # noqa: E402  after the handler is set

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
