"""Databases of tests that share the connections and the compiled statements of their process.

A connection and its first query of each table cost more than most tests do after it. SQLAlchemy compiles a statement
once per engine and dialect, and PostgreSQL plans it once per connection. A production process opens its database once,
and shares in the same way over its whole life.
"""

from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncEngine

from mlplace_runtime.db.database import Database, engine_for

KEPT = "test, kept"
"""The application name of connections that stay open from test to test."""
_engines: list[Engine] = []
"""The first one that had a connection, once there is one. Its dialect knows the server."""
_compiled: dict[object, object] = {}
_kept: dict[str, AsyncEngine | None] = {}
"""By URL of a database that tests share."""


def opened_database(url: str, *, keeps: bool = True) -> Database:
    """Returns a database of this process's test server. The caller closes it.

    Its connections stay open for the next test if tests share the database. Not for another event loop, nor for a test
    that changes the engine: that one says `keeps=False`.
    """
    if not keeps or url not in _kept:
        database = Database(url, application_name="test")
        _share(database.engine.sync_engine)
        return database
    engine = _kept[url]
    if engine is None:
        engine = _kept[url] = engine_for(url, application_name=KEPT)
        _share(engine.sync_engine)
    return Database(url, application_name="test", engine=engine)


def _share(engine: Engine) -> None:
    engine.update_execution_options(compiled_cache=_compiled)
    if _engines and _engines[0].dialect.server_version_info is not None:
        engine.dialect = _engines[0].dialect
    else:
        _engines[:] = [engine]


def keep_connections(url: str) -> None:
    """From now on, until `end_connections`, those that `opened_database` opens stay open."""
    _kept.setdefault(url, None)


async def all_returned(url: str) -> bool:
    """Whether no kept connection is in use. If one is, the others are closed, and the next test gets new ones."""
    engine = _kept[url]
    if engine is None or engine.pool.checkedout() == 0:  # type: ignore[attr-defined]  # it is a pool with a size
        return True
    _kept[url] = None
    await engine.dispose()
    return False


async def end_connections(url: str) -> None:
    if engine := _kept.pop(url, None):
        await engine.dispose()
