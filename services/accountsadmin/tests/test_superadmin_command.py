"""`superadmin LOGIN`: the operator makes a user a superadmin and withdraws the permission."""

import argparse
import asyncio
import os
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from accountsadmin.settings import AccountsadminSettings
from accountsadmin.superadmin_command import run_superadmin
from mlplace_contracts.enums import SUPERADMIN_PERMISSION
from mlplace_contracts.events import SessionRevoked, UserChanged
from mlplace_runtime.process.commands import Opened
from mlplace_runtime.process.problems import CommandRefusedError
from mlplace_testing.waiting import eventually

from .conftest import World

ANN, BOB = "ann@example.org", "bob@example.org"
DETAILS = {"permissions": SUPERADMIN_PERMISSION, "internal": "false"}


async def run(world: World, login: str, *, take_away: bool = False) -> str:
    """Returns what the command says."""
    values = {"database_url": world.database_urls.service_url, "argon2_memory_kib": 64, "argon2_passes": 1}
    opened = Opened(AccountsadminSettings.model_validate(values), world.shared, world.database)
    said: list[str] = []
    options = argparse.Namespace(login=login, take_away=take_away)
    assert await run_superadmin(opened, options, said.append) == 0
    (line,) = said
    return line


async def permissions(world: World) -> dict[str, list[str]]:
    found = await world.sql("SELECT login, permissions FROM users")
    return {str(login): held for login, held in found if isinstance(held, list)}


class TestGive:
    async def test_a_user_becomes_a_superadmin_who_can_use_the_administration(self, world: World) -> None:
        before = await world.signed_up(ANN)
        assert (await before.get("/admin/users")).status_code == 403
        assert await run(world, " Ann@Example.org") == (
            f"{ANN} is a superadmin now, and is signed out: the permission counts from the next sign-in."
        )
        assert (await before.get("/c/sessions")).status_code == 401
        assert (await (await world.signed_in(ANN)).get("/admin/users")).status_code == 200

    async def test_other_services_and_the_audit_log_are_told_as_by_the_administration(self, world: World) -> None:
        await world.signed_up(ANN)
        await run(world, ANN)
        event = (await world.events(UserChanged, at_least=2))[-1]
        assert (event.login, event.permissions, event.version) == (ANN, (SUPERADMIN_PERMISSION,), 2)
        assert [revoked.user_id for revoked in await world.events(SessionRevoked, at_least=1)] == [1]
        found = await world.sql(
            "SELECT actor_user_id, user_id, address, details FROM audit_events WHERE kind = 'PERMISSIONS_CHANGED'"
        )
        assert found == [(None, 1, "", DETAILS)]

    async def test_other_permissions_and_the_mark_of_staff_stay(self, world: World) -> None:
        await world.ensure(ANN, "acme", permissions=["BILLING_ADMIN_WRITE"], internal=True)
        await run(world, ANN)
        assert await permissions(world) == {ANN: [SUPERADMIN_PERMISSION, "BILLING_ADMIN_WRITE"]}
        assert await world.sql("SELECT internal FROM users") == [(True,)]

    async def test_a_second_run_says_so_and_changes_nothing(self, world: World) -> None:
        await world.signed_up(ANN)
        await run(world, ANN)
        browser = await world.signed_in(ANN)
        before = await world.sql("SELECT users::text FROM users")
        assert await run(world, ANN) == f"{ANN} is a superadmin already."
        assert await world.sql("SELECT users::text FROM users") == before
        assert (await browser.get("/admin/users")).status_code == 200

    @pytest.mark.parametrize("login", ["nobody@example.org", "acme", ""])
    async def test_a_login_that_does_not_exist_is_refused_and_creates_nobody(self, world: World, login: str) -> None:
        await world.ensure(ANN, "acme")
        with pytest.raises(CommandRefusedError, match=f"login: nobody has registered as {login}; register in the web"):
            await run(world, login)
        assert await permissions(world) == {ANN: []}

    async def test_a_blocked_user_is_refused(self, world: World) -> None:
        await world.signed_up(ANN)
        await (await world.superadmin()).post("/admin/users/1/block")
        with pytest.raises(CommandRefusedError, match=f"login: {ANN} is blocked"):
            await run(world, ANN)
        assert (await permissions(world))[ANN] == []


class TestTakeAway:
    async def test_the_permission_is_withdrawn_and_sessions_end(self, world: World) -> None:
        for login in (ANN, BOB):
            await world.ensure(login, login[:3], permissions=[SUPERADMIN_PERMISSION, "BILLING_ADMIN_WRITE"])
        browser = await world.signed_in(ANN)
        assert await run(world, ANN, take_away=True) == f"{ANN} is no superadmin any more, and is signed out."
        assert (await permissions(world))[ANN] == ["BILLING_ADMIN_WRITE"]
        assert (await browser.get("/c/sessions")).status_code == 401
        assert (await (await world.signed_in(ANN)).get("/admin/users")).status_code == 403

    async def test_the_last_superadmin_keeps_it(self, world: World) -> None:
        await world.signed_up(ANN)
        await run(world, ANN)
        with pytest.raises(CommandRefusedError, match=f"login: {ANN} is the last superadmin"):
            await run(world, ANN, take_away=True)
        assert await permissions(world) == {ANN: [SUPERADMIN_PERMISSION]}

    async def test_a_blocked_superadmin_is_nobody_who_is_left(self, world: World) -> None:
        await world.ensure(ANN, "acme", permissions=[SUPERADMIN_PERMISSION])
        await (await world.superadmin()).post("/admin/users/1/block")
        with pytest.raises(CommandRefusedError, match="is the last superadmin"):
            await run(world, "root@example.org", take_away=True)

    async def test_of_two_commands_at_once_the_later_one_is_refused(self, world: World) -> None:
        for login in (ANN, BOB):
            await world.ensure(login, login[:3], permissions=[SUPERADMIN_PERMISSION])
        async with world.database.transaction() as session:
            await session.execute(text("UPDATE users SET permissions = '{}' WHERE login = :login"), {"login": ANN})
            later = asyncio.create_task(run(world, BOB, take_away=True))
            waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            await eventually(lambda: world.sql(waits), until=lambda found: bool(found) or later.done())
        with pytest.raises(CommandRefusedError, match="is the last superadmin"):
            await later
        assert await permissions(world) == {ANN: [], BOB: [SUPERADMIN_PERMISSION]}

    async def test_a_user_who_is_none_is_said_to_be_none(self, world: World) -> None:
        await world.signed_up(ANN)
        assert await run(world, ANN, take_away=True) == f"{ANN} is no superadmin."

    async def test_a_login_that_does_not_exist_is_refused(self, world: World) -> None:
        with pytest.raises(CommandRefusedError, match="login: nobody has registered as"):
            await run(world, ANN, take_away=True)


class TestCommand:
    async def test_an_operator_runs_it_beside_the_service(self, world: World, tmp_path: Path) -> None:
        await world.signed_up(ANN)
        status, output, errors = await _started(world, tmp_path, ANN)
        assert (status, output.split(" now")[0], errors) == (0, f"{ANN} is a superadmin", "")
        # The service ships what the command has written.
        assert (await world.events(UserChanged, at_least=2))[-1].permissions == (SUPERADMIN_PERMISSION,)

    async def test_a_refusal_is_one_sentence_and_the_status_1(self, world: World, tmp_path: Path) -> None:
        status, output, errors = await _started(world, tmp_path, BOB, "--take-away")
        assert (status, output) == (1, "")
        assert errors == f"login: nobody has registered as {BOB}; register in the web interface first.\n"


async def _started(world: World, folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Runs it as an operator does. Returns the exit code and what it printed."""
    secrets = {"MLP_INTERNAL_TOKEN": "t" * 64, "MLP_HASH_SECRET": "1" * 64, "MLP_ENVELOPE_KEY": "2" * 64}
    own = {"MLP_BUS": str(folder / "own-bus"), "MLP_DATA_DIR": str(folder / "data")}
    database = {"MLP_ACCOUNTSADMIN_DATABASE_URL": world.database_urls.service_url}
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "accountsadmin", "superadmin", *arguments)
    given = {**os.environ, **secrets, **own, **database}
    process = await asyncio.create_subprocess_exec(*command, env=given, stdout=pipe, stderr=pipe)
    output, errors = await process.communicate()
    return process.returncode or 0, output.decode(), errors.decode()
