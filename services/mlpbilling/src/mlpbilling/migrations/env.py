from mlpbilling.registry import METADATA
from mlplace_runtime.db.migrations import run_environment

run_environment(METADATA)
