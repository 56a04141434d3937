"""Waits until the database is migrated. Only for evaluation, whose databases start together with the services."""

import asyncio
import os
import sys

import asyncpg

URL = next(value for name, value in os.environ.items() if name.endswith("_DATABASE_URL"))


async def migrated() -> bool:
    try:
        connection = await asyncpg.connect(URL.replace("+asyncpg", ""), timeout=5)
    except (OSError, TimeoutError, asyncpg.PostgresError):
        return False
    try:
        return bool(await connection.fetchval("SELECT count(*) FROM dead_letter WHERE false") == 0)
    except asyncpg.PostgresError:
        return False
    finally:
        await connection.close()


async def main() -> None:
    while not await migrated():  # noqa: ASYNC110  another process migrates
        await asyncio.sleep(1)
    print("the database is migrated", file=sys.stderr)


asyncio.run(main())
