"""PostgreSQL from a Python wheel, for the all-in-one shape and for tests: no installation, no configuration."""

from mlplace_runtime.db.embedded.errors import EmbeddedServerError
from mlplace_runtime.db.embedded.server import EmbeddedPostgres

__all__ = ["EmbeddedPostgres", "EmbeddedServerError"]
