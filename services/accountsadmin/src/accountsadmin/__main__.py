"""`python -m accountsadmin serve | migrate | dead-letters`."""

import sys

from accountsadmin.main import MIGRATIONS, NAME, consumers_of, open_service
from accountsadmin.settings import AccountsadminSettings
from mlplace_runtime.process.program import Program

if __name__ == "__main__":
    sys.exit(Program(NAME, AccountsadminSettings, open_service, MIGRATIONS, consumers_of).main())
