"""`python -m mlpgateway serve | migrate | dead-letters`."""

import sys

from mlpgateway.main import MIGRATIONS, NAME, open_service
from mlpgateway.settings import MlpgatewaySettings
from mlplace_runtime.process import Program


def _settings() -> MlpgatewaySettings:
    return MlpgatewaySettings()  # pyright: ignore[reportCallIssue]  # the environment has the values


if __name__ == "__main__":
    sys.exit(Program(NAME, _settings, open_service, MIGRATIONS).main())
