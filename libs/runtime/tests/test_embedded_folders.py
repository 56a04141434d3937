"""Tests where the embedded server lies, who has access, and what interrupted or former starts leave."""

import asyncio
import os
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest

from mlplace_runtime.db.embedded import EmbeddedPostgres, EmbeddedServerError
from mlplace_runtime.db.embedded.errors import ForeignFolderError, OtherVersionError

NOBODY = 65_534
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, which may become another user")


async def _answer(postgres: EmbeddedPostgres, query: str = "SELECT 1") -> object:
    connection = await asyncpg.connect(postgres.admin_dsn(), timeout=60)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


def _modes_above(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mode for path in folder.parents}


def _as_nobody(act: Callable[[], str]) -> str:
    """Returns what another user of this machine gets."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        try:
            said = act()
        except OSError as error:
            said = type(error).__name__
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return said


def _greeting(path: str) -> str:
    """Returns the server's answer to a client that asks for superuser access at a socket."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(60)
        client.connect(path)
        body = struct.pack("!i", 196_608) + b"user\0postgres\0database\0postgres\0\0"
        client.sendall(struct.pack("!i", len(body) + 4) + body)
        return client.recv(1000).decode(errors="replace")


def _names(folder: Path, pattern: str) -> list[str]:
    return sorted(path.name for path in folder.glob(pattern))


class TestWhoMayEnter:
    async def test_folders_and_socket_are_private_and_parent_modes_stay(self, tmp_path: Path) -> None:
        folder = tmp_path / "postgres"
        before = _modes_above(folder)
        async with EmbeddedPostgres(folder, durable=False) as postgres:
            assert await _answer(postgres) == 1
            for path in (folder, folder / "sockets"):
                assert path.stat().st_mode & 0o777 == 0o700
            assert (folder / "sockets" / ".s.PGSQL.5432").stat().st_mode & 0o777 == 0o700
            assert "trust" not in (folder / "pg_hba.conf").read_text()
            assert await _answer(postgres, "SHOW listen_addresses") == ""
        assert _modes_above(folder) == before

    @AS_ROOT
    async def test_another_user_can_neither_read_nor_connect(self, tmp_path: Path) -> None:
        folder = tmp_path / "postgres"
        async with EmbeddedPostgres(folder, durable=False):
            inside = os.open(folder / "sockets", os.O_PATH)
            way = f"/proc/self/fd/{inside}/.s.PGSQL.5432"
            assert _as_nobody(lambda: str([*folder.iterdir()])) == "PermissionError"
            assert _as_nobody(lambda: _greeting(way)) == "PermissionError"
            # Even with open folders the server accepts nobody as its superuser.
            (folder / "sockets").chmod(0o711)
            (folder / "sockets" / ".s.PGSQL.5432").chmod(0o777)
            refused = _as_nobody(lambda: _greeting(way))
            os.close(inside)
            assert refused.startswith("E"), refused
            assert "Peer authentication failed" in refused

    async def test_a_cluster_of_a_former_version_stops_trusting_everybody(self, tmp_path: Path) -> None:
        folder = tmp_path / "postgres"
        async with EmbeddedPostgres(folder, durable=False) as postgres:
            await _answer(postgres, "CREATE DATABASE kept")
        (folder / "pg_hba.conf").write_text("local all all trust\nhost all all 127.0.0.1/32 trust\n")
        (folder / "log").write_text("grew for ever")
        (folder / ".pg_hba.conf.123.new").write_text("of a start that was killed")
        async with EmbeddedPostgres(folder, durable=False) as postgres:
            assert await _answer(postgres, "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'peer'") == 0
            assert await _answer(postgres, "SELECT count(*) FROM pg_database WHERE datname = 'kept'") == 1
        assert not (folder / "log").exists()
        assert not _names(folder, ".*.new")


class TestPaths:
    @pytest.mark.parametrize("name", ["with a space", "with, comma 'and' \"quotes\" $HOME", "x" * 120, "папка"])
    async def test_a_path_of_any_name_and_length_works(self, tmp_path: Path, name: str) -> None:
        async with EmbeddedPostgres(tmp_path / name / "postgres", durable=False) as postgres:
            assert await _answer(postgres) == 1

    async def test_postgresql_variables_in_the_environment_are_ignored(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in (("PGPORT", "1"), ("PGDATA", "/nowhere"), ("LC_ALL", "xx_XX.UTF-8"), ("PGOPTIONS", "-x")):
            monkeypatch.setenv(name, value)
        async with EmbeddedPostgres(tmp_path / "postgres", durable=False) as postgres:
            assert await _answer(postgres) == 1

    async def test_a_folder_with_foreign_files_is_refused_and_unchanged(self, tmp_path: Path) -> None:
        (tmp_path / "postgres").mkdir()
        (tmp_path / "postgres" / "thesis.txt").write_text("dear")
        with pytest.raises(ForeignFolderError):
            await EmbeddedPostgres(tmp_path / "postgres").__aenter__()
        assert (tmp_path / "postgres" / "thesis.txt").read_text() == "dear"

    async def test_a_cluster_of_another_version_is_refused_and_unchanged(self, tmp_path: Path) -> None:
        folder = tmp_path / "postgres"
        (folder / "base" / "16384").mkdir(parents=True)
        (folder / "PG_VERSION").write_text("16\n")
        with pytest.raises(OtherVersionError, match="PostgreSQL 16"):
            await EmbeddedPostgres(folder).__aenter__()
        assert (folder / "base" / "16384").is_dir()


class TestUnfinished:
    @pytest.mark.parametrize(
        "names", [(), ("base/1",), ("PG_VERSION", "base/1"), ("PG_VERSION", "base/1", "global/pg_control")]
    )
    async def test_an_incomplete_cluster_of_a_killed_initdb_is_recreated(
        self, tmp_path: Path, names: tuple[str, ...]
    ) -> None:
        """Former versions created the cluster in place; ours leaves a separate folder beside it."""
        folder = tmp_path / "postgres"
        folder.mkdir()
        (tmp_path / ".postgres.0123.making" / "base").mkdir(parents=True)
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("18\n") if "base" not in name else (folder / name).mkdir()
        async with EmbeddedPostgres(folder, durable=False) as postgres:
            assert await _answer(postgres) == 1
        assert _names(tmp_path, "*") == ["postgres", "postgres.log"]

    async def test_a_complete_cluster_without_a_file_is_not_deleted(self, tmp_path: Path) -> None:
        folder = tmp_path / "postgres"
        async with EmbeddedPostgres(folder, durable=False) as postgres:
            await _answer(postgres, "CREATE DATABASE dear")
        (folder / "global" / "pg_control").rename(tmp_path / "lost")
        with pytest.raises(EmbeddedServerError, match="did not start"):
            await EmbeddedPostgres(folder).__aenter__()
        (tmp_path / "lost").rename(folder / "global" / "pg_control")
        async with EmbeddedPostgres(folder, durable=False) as postgres:
            assert await _answer(postgres, "SELECT count(*) FROM pg_database WHERE datname = 'dear'") == 1

    async def test_a_cancelled_start_leaves_nothing_behind(self, tmp_path: Path) -> None:
        before = set(threading.enumerate())
        postgres = EmbeddedPostgres(tmp_path / "postgres")
        starting = asyncio.create_task(postgres.__aenter__())
        while not _names(tmp_path, ".postgres.*.making/base"):
            await asyncio.sleep(0.01)
            assert not starting.done()
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert not _names(tmp_path, "**/base")
        assert not [thread for thread in set(threading.enumerate()) - before if thread.name == "postgres-output"]
