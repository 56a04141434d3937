"""`python -m mlpcore serve | migrate | dead-letters`."""

import sys

from mlpcore.main import MIGRATIONS, NAME, consumers_of, open_service
from mlpcore.settings import MlpcoreSettings
from mlplace_runtime.process import Program


def _settings() -> MlpcoreSettings:
    return MlpcoreSettings()  # pyright: ignore[reportCallIssue]  # the environment provides the values


if __name__ == "__main__":
    sys.exit(Program(NAME, _settings, open_service, MIGRATIONS, consumers_of).main())
