"""PostgreSQL from a wheel, for the all-in-one shape and for tests: nothing to install, nothing to configure."""

from mlplace_runtime.db.embedded.errors import EmbeddedServerError
from mlplace_runtime.db.embedded.server import EmbeddedPostgres

__all__ = ["EmbeddedPostgres", "EmbeddedServerError"]
