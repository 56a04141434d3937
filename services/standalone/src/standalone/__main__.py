import os
import signal
import sys

# The gate's threads must not be asked to survive a fork: child processes are programs of their own.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

# While modules load there is nothing to stop, and an exception may come out of any of them.
signal.signal(signal.SIGINT, lambda *_: os._exit(0))

from standalone.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
