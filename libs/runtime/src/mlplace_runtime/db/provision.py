"""Creates a database and two roles for each service: an owner that migrates, and a role that reads and writes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import asyncpg

_NAME = re.compile(r"[a-z][a-z0-9_]{0,50}")


@dataclass(frozen=True, slots=True)
class ServiceDatabase:
    """`postgresql+asyncpg://` URLs of one service's database."""

    owner_url: str
    service_url: str


async def provision(admin_dsn: str, *, service: str, database: str, passwords: Mapping[str, str] | None = None) -> None:
    """Creates the roles `<service>_owner` and `<service>` and the database if they are missing.

    The service's role cannot create or drop tables, and a table may grant it less (the ledger grants no UPDATE and no
    DELETE). Each call sets the `passwords`, so calling it again changes a password. For roles without one the server's
    own authentication rules decide. The administrator needs CREATEDB and CREATEROLE, and need not be a superuser.
    """
    for name in (service, database):
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a valid name: use a-z, 0-9 and _, beginning with a letter")
    owner = f"{service}_owner"
    connection = await asyncpg.connect(admin_dsn)
    try:
        for role in (owner, service):
            if not await connection.fetchval("SELECT 1 FROM pg_roles WHERE rolname = $1", role):
                await connection.execute(f"CREATE ROLE {role} LOGIN")
            # Since PostgreSQL 16 one who creates a role may not act as it yet, unless a superuser. A process may have
            # died between the two.
            if not await connection.fetchval("SELECT pg_has_role($1, 'USAGE')", role):
                await connection.execute(f"GRANT {role} TO CURRENT_USER")
            if passwords and role in passwords:
                quoted = await connection.fetchval("SELECT quote_literal($1)", passwords[role])
                await connection.execute(f"ALTER ROLE {role} PASSWORD {quoted}")
        if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", database):
            await connection.execute(f"CREATE DATABASE {database} OWNER {owner}")
        # On every call, because a process may have died between creating the database and revoking public access.
        await connection.execute(f"REVOKE ALL ON DATABASE {database} FROM PUBLIC")
        await connection.execute(f"GRANT CONNECT ON DATABASE {database} TO {service}")
    finally:
        await connection.close()
    await _grant(admin_dsn, database=database, owner=owner, service=service)


async def _grant(admin_dsn: str, *, database: str, owner: str, service: str) -> None:
    connection = await asyncpg.connect(admin_dsn, database=database)
    defaults = f"ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA public GRANT"
    try:
        await connection.execute(
            f"ALTER SCHEMA public OWNER TO {owner};"
            f"GRANT USAGE ON SCHEMA public TO {service};"
            f"{defaults} SELECT, INSERT, UPDATE, DELETE ON TABLES TO {service};"
            f"{defaults} USAGE, SELECT ON SEQUENCES TO {service};"
        )
    finally:
        await connection.close()
