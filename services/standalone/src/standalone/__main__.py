import os
import sys

# The gate's threads must not be asked to survive a fork: child processes are programs of their own.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

from standalone.cli import main

sys.exit(main())
