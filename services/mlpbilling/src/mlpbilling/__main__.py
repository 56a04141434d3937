"""`python -m mlpbilling serve | migrate | dead-letters`."""

import sys

from mlpbilling.main import MIGRATIONS, NAME, consumers_of, open_service
from mlpbilling.settings import MlpbillingSettings
from mlplace_runtime.process.dead_letters import dead_letters_command
from mlplace_runtime.process.program import Program

COMMANDS = (dead_letters_command(consumers_of),)

if __name__ == "__main__":
    sys.exit(Program(NAME, MlpbillingSettings, open_service, MIGRATIONS, COMMANDS).main())
