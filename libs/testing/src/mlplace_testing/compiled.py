"""Databases of tests that share the compiled statements of their process.

SQLAlchemy compiles a statement once per engine and dialect. For tests that open a database each, this was a twentieth
of the processor time. A production process opens its database once, and shares in the same way over its whole life.
"""

from sqlalchemy import Engine

from mlplace_runtime.db.database import Database

_engines: list[Engine] = []
"""The first one that had a connection, once there is one. Its dialect knows the server."""
_compiled: dict[object, object] = {}


def opened_database(url: str) -> Database:
    """Returns a database of this process's test server. The caller closes it."""
    database = Database(url, application_name="test")
    engine = database.engine.sync_engine
    engine.update_execution_options(compiled_cache=_compiled)
    if _engines and _engines[0].dialect.server_version_info is not None:
        engine.dialect = _engines[0].dialect
    else:
        _engines[:] = [engine]
    return database
