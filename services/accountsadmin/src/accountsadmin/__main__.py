"""`python -m accountsadmin serve | migrate | dead-letters | superadmin`."""

import sys

from accountsadmin.main import MIGRATIONS, NAME, consumers_of, open_service
from accountsadmin.settings import AccountsadminSettings
from accountsadmin.superadmin_command import SUPERADMIN_COMMAND
from mlplace_runtime.process.dead_letters import dead_letters_command
from mlplace_runtime.process.program import Program

COMMANDS = (dead_letters_command(consumers_of), SUPERADMIN_COMMAND)

if __name__ == "__main__":
    sys.exit(Program(NAME, AccountsadminSettings, open_service, MIGRATIONS, COMMANDS).main())
