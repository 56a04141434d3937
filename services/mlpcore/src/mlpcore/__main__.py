"""`python -m mlpcore serve | migrate | dead-letters | reseal`."""

import sys

from mlpcore.main import MIGRATIONS, NAME, consumers_of, open_service
from mlpcore.registry import SEALED
from mlpcore.settings import MlpcoreSettings
from mlplace_runtime.process.program import Program

if __name__ == "__main__":
    sys.exit(Program(NAME, MlpcoreSettings, open_service, MIGRATIONS, consumers_of, SEALED).main())
