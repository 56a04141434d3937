"""`python -m mlpgateway serve | migrate | dead-letters | reseal`."""

import sys

from mlpgateway.main import MIGRATIONS, NAME, open_service
from mlpgateway.registry import SEALED
from mlpgateway.settings import MlpgatewaySettings
from mlplace_runtime.process.dead_letters import dead_letters_command, no_consumers
from mlplace_runtime.process.program import Program
from mlplace_runtime.process.resealing import reseal_command

COMMANDS = (dead_letters_command(no_consumers), reseal_command(SEALED))

if __name__ == "__main__":
    sys.exit(Program(NAME, MlpgatewaySettings, open_service, MIGRATIONS, COMMANDS).main())
