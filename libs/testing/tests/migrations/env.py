from mlplace_runtime.db.base import new_metadata
from mlplace_runtime.db.migrations import run_environment

run_environment(new_metadata())
