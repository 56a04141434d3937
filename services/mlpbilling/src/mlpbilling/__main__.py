"""`python -m mlpbilling serve | migrate | dead-letters`."""

import sys

from mlpbilling.main import MIGRATIONS, NAME, consumers_of, open_service
from mlpbilling.settings import MlpbillingSettings
from mlplace_runtime.process import Program


def _settings() -> MlpbillingSettings:
    return MlpbillingSettings()  # pyright: ignore[reportCallIssue]  # the environment has the values


if __name__ == "__main__":
    sys.exit(Program(NAME, _settings, open_service, MIGRATIONS, consumers_of).main())
