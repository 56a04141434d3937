"""`python -m mlpgateway serve | migrate | dead-letters | reseal`."""

import sys

from mlpgateway.main import MIGRATIONS, NAME, open_service
from mlpgateway.registry import SEALED
from mlpgateway.settings import MlpgatewaySettings
from mlplace_runtime.process.program import Program

if __name__ == "__main__":
    sys.exit(Program(NAME, MlpgatewaySettings, open_service, MIGRATIONS, sealed=SEALED).main())
