import asyncpg
import pytest

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.provision import provision


class TestAdministrator:
    async def test_need_not_be_a_superuser(self, embedded_postgres: EmbeddedPostgres) -> None:
        """As with hosted servers."""
        root = await asyncpg.connect(embedded_postgres.admin_dsn())
        await root.execute("CREATE ROLE operator_of_databases LOGIN CREATEDB CREATEROLE")
        admin = embedded_postgres.url(role="operator_of_databases", database="postgres").replace("+asyncpg", "")
        try:
            for _ in range(2):
                await provision(admin, service="hosted", database="hosted")
            owner = await asyncpg.connect(
                embedded_postgres.url(role="hosted_owner", database="hosted").replace("+asyncpg", "")
            )
            await owner.execute("CREATE TABLE made (id bigserial PRIMARY KEY)")
            await owner.close()
            service = await asyncpg.connect(
                embedded_postgres.url(role="hosted", database="hosted").replace("+asyncpg", "")
            )
            assert await service.fetchval("INSERT INTO made DEFAULT VALUES RETURNING id") == 1
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await service.execute("CREATE TABLE another (id bigint)")
            await service.close()
        finally:
            await embedded_postgres.drop("hosted")
            await root.execute("DROP ROLE hosted, hosted_owner; DROP ROLE operator_of_databases")
            await root.close()
