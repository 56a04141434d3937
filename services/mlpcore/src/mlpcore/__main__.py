"""`python -m mlpcore serve | migrate | dead-letters | reseal`."""

import sys

from mlpcore.main import MIGRATIONS, NAME, consumers_of, open_service
from mlpcore.registry import SEALED
from mlpcore.settings import MlpcoreSettings
from mlplace_runtime.process.dead_letters import dead_letters_command
from mlplace_runtime.process.program import Program
from mlplace_runtime.process.resealing import reseal_command

COMMANDS = (dead_letters_command(consumers_of), reseal_command(SEALED))

if __name__ == "__main__":
    sys.exit(Program(NAME, MlpcoreSettings, open_service, MIGRATIONS, COMMANDS).main())
