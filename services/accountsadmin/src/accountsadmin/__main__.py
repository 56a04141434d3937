"""`python -m accountsadmin serve | migrate | dead-letters`."""

import sys

from accountsadmin.main import MIGRATIONS, NAME, consumers_of, open_service
from accountsadmin.settings import AccountsadminSettings
from mlplace_runtime.process import Program


def _settings() -> AccountsadminSettings:
    return AccountsadminSettings()  # pyright: ignore[reportCallIssue]  # the environment has the values


if __name__ == "__main__":
    sys.exit(Program(NAME, _settings, open_service, MIGRATIONS, consumers_of).main())
