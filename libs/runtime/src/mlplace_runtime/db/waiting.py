"""Waits for a database server that is still starting."""

import asyncio

import asyncpg

_PAUSE_SECONDS = 0.5
_CONNECT_SECONDS = 5.0


class DatabaseAwayError(ConnectionError):
    def __init__(self, seconds: float, reason: str) -> None:
        super().__init__(f"the database did not answer within {seconds:g} s: {reason}")


async def wait_for_database(url: str, *, seconds: float) -> None:
    """Waits until a login succeeds. `url` is SQLAlchemy's or asyncpg's. Raises DatabaseAwayError, without the URL."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while True:
        try:
            connection = await asyncpg.connect(url.replace("+asyncpg", "", 1), timeout=_CONNECT_SECONDS)
        except (OSError, TimeoutError, asyncpg.PostgresError) as error:
            if loop.time() >= deadline:
                raise DatabaseAwayError(seconds, type(error).__name__) from error
            await asyncio.sleep(_PAUSE_SECONDS)
        else:
            await connection.close()
            return
