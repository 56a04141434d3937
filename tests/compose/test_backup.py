"""tools/backup and tools/restore against a docker that knows one project; tests/resilience runs them on a real one."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
STORES = ["postgres", "kafka", "s3", "redis", "prometheus"]
SERVICES = ["edge", "accountsadmin", "mlpcore", "mlpbilling", "gateway-0", "gateway-1", *STORES]
VOLUMES = ["postgres", "kafka", "redis", "objects", "prometheus", "usage-0", "usage-1"]
DUMP = "CREATE DATABASE mlpbilling;\n"
ENV = "MLP_HASH_SECRET=abc\n"


@dataclass
class Installation:
    """A checkout and the engine that runs it; `folder` is for the backup."""

    checkout: Path
    engine: Path
    state_file: Path
    folder: Path

    @property
    def state(self) -> dict[str, Any]:
        return json.loads(self.state_file.read_text())

    def set(self, **values: object) -> None:
        self.state_file.write_text(json.dumps({**self.state, **values}))

    def write(self, path: str, text: str, *, mode: int = 0o644) -> None:
        """Writes a file of the checkout."""
        file = self.checkout / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)

    def add(self, *services: str, volume: str) -> None:
        self.set(**{kind: [*self.state[kind], *services] for kind in ("services", "running", "containers")})
        self.set(volumes=[*self.state["volumes"], volume])
        (self.engine / f"mlplace_{volume}").mkdir()
        self.put(volume, f"of {volume}")

    def mount(self, *paths: str) -> None:
        self.set(mounts=[*self.state["mounts"], *(str(self.checkout / path) for path in paths)])

    def put(self, volume: str, text: str) -> None:
        (self.engine / f"mlplace_{volume}" / "data").write_text(text)

    def program(self, name: str, text: str) -> None:
        """Replaces a program that the tools or a container find."""
        file = self.engine.parent / name
        file.write_text(text)
        file.chmod(0o755)

    def lose(self) -> None:
        """Everything but a checkout as it was published."""
        shutil.rmtree(self.engine)
        self.engine.mkdir()
        shutil.rmtree(self.checkout)
        _check_out(self.checkout)
        self.set(running=[], containers=[], database="", calls=[])

    def run(self, tool: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        paths = {"PATH": f"{self.engine.parent}:{os.environ['PATH']}", "ENGINE": str(self.engine)}
        return subprocess.run(
            (self.checkout / "tools" / tool, self.folder),
            env={**os.environ, **paths, "STATE": str(self.state_file), **environment},
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def succeed(self, tool: str) -> str:
        ran = self.run(tool)
        assert ran.returncode == 0, ran.stderr
        return ran.stderr

    def volumes(self) -> dict[str, str]:
        """Maps the volumes that hold something to it."""
        files = self.engine.glob("*/data")
        return {file.parent.name.removeprefix("mlplace_"): file.read_text() for file in files}


def _check_out(folder: Path) -> None:
    (folder / "tools").mkdir(parents=True)
    (folder / "gateway-config").mkdir()
    (folder / "docker-compose.yml").write_text("name: mlplace\n")
    (folder / "gateway-config" / "gate-ports.conf").write_text("two gates\n")
    for tool in ("backup", "restore"):
        shutil.copy(ROOT / "tools" / tool, folder / "tools")


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Without the demo and its agent, as operating.md tells to leave them out."""
    made = Installation(
        tmp_path / "check out", tmp_path / "engine", tmp_path / "state.json", tmp_path / "of today" / "backup"
    )
    _check_out(made.checkout)
    made.engine.mkdir()
    made.state_file.write_text(
        json.dumps({"services": SERVICES, "running": SERVICES, "containers": [*SERVICES, "init"], "volumes": VOLUMES}
                   | {"external": [], "mounts": [], "database": DUMP, "calls": [], "fails": {}})
    )  # fmt: skip
    for volume in VOLUMES:
        (made.engine / f"mlplace_{volume}").mkdir()
        made.put(volume, f"of {volume}")
    made.write(".env", ENV)
    made.mount("gateway-config/gate-ports.conf")
    made.program("docker", f"#!{sys.executable} -IS\n" + (Path(__file__).parent / "fake_docker.py").read_text())
    made.program("pg_dumpall", f"#!/bin/sh\nprintf '%s\\n' '{DUMP.strip()}'\n")
    return made


def _is_whole(folder: Path) -> bool:
    return (folder / "SHA256SUMS").exists()


class TestRoundTrip:
    def test_an_installation_without_the_demo_comes_back(self, installation: Installation) -> None:
        installation.succeed("backup")
        assert sorted(installation.state["running"]) == sorted(SERVICES)
        installation.lose()
        installation.succeed("restore")
        kept = {f"{name}": f"of {name}" for name in ("kafka", "objects", "usage-0", "usage-1")}
        assert installation.volumes() == kept
        assert installation.state["database"] == DUMP
        assert sorted(installation.state["running"]) == sorted(SERVICES)
        assert (installation.checkout / ".env").read_text() == ENV

    def test_the_agent_and_a_third_gate_come_back(self, installation: Installation) -> None:
        installation.add("agent", volume="demo")
        installation.add("gateway-2", volume="usage-2")
        installation.succeed("backup")
        stopped = [call for call in installation.state["calls"] if call.startswith("compose stop")]
        assert {"agent", "gateway-2"} < set(stopped[0].split())
        assert stopped[1] == "compose stop kafka s3"
        installation.lose()
        installation.succeed("restore")
        assert installation.volumes().items() >= {"demo": "of demo", "usage-2": "of usage-2"}.items()

    def test_what_configures_the_installation_comes_back(self, installation: Installation) -> None:
        files = {
            "docker-compose.override.yml": "services: {}\n",
            "more/replicas.yml": "services: {}\n",
            "gateway-2.env": "A=b\n",
            "certificates of 2026/tls.key": "canary",
            "license/license": "signed",
            "gateway-config/gate-ports.conf": "three gates\n",
        }
        for path, text in files.items():
            installation.write(path, text, mode=0o400)
        installation.write(".env", f"{ENV}COMPOSE_FILE=docker-compose.yml:more/replicas.yml\n")
        installation.mount("certificates of 2026", "license")
        assert "not copied" not in installation.succeed("backup")
        installation.lose()
        installation.succeed("restore")
        assert {path: (installation.checkout / path).read_text() for path in files} == files
        assert (installation.checkout / "certificates of 2026/tls.key").stat().st_mode & 0o777 == 0o400

    def test_nothing_of_it_is_readable_for_others(self, installation: Installation) -> None:
        installation.succeed("backup")
        assert {path.stat().st_mode & 0o077 for path in (installation.folder, *installation.folder.iterdir())} == {0}


class TestNotCopied:
    def test_what_lies_elsewhere_is_named_and_must_be_there_before_a_restore(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        outside = tmp_path / "etc tls"
        outside.mkdir()
        installation.mount(str(outside))
        assert f"not copied: {outside}\n" in installation.succeed("backup")
        installation.lose()
        outside.rmdir()
        refused = installation.run("restore")
        assert (refused.returncode, refused.stderr) == (2, f"{outside} is not in the backup: put it back first\n")
        assert not (installation.checkout / ".env").exists()
        outside.mkdir()
        installation.succeed("restore")

    def test_stores_and_volumes_of_others_are_named(self, installation: Installation) -> None:
        installation.set(external=["objects"], running=[name for name in SERVICES if name != "kafka"])
        said = installation.succeed("backup")
        for name in ("the volume objects", "the data of kafka, which does not run here"):
            assert f"not copied: {name}\n" in said
        installation.lose()
        assert "not in the backup: the volume objects\n" in installation.succeed("restore")


class TestFailedBackup:
    @pytest.mark.parametrize(
        "fails",
        [{"compose stop": 1}, {"compose stop": 2}, {"compose exec": 1}, {"run": 1}, {"run": 5}, {"inspect": 1}],
        ids=str,
    )
    def test_it_starts_the_platform_and_is_no_whole_backup(
        self, installation: Installation, fails: dict[str, int]
    ) -> None:
        installation.set(fails=fails)
        ran = installation.run("backup")
        assert ran.returncode != 0
        assert sorted(installation.state["running"]) == sorted(SERVICES)
        assert f"{installation.folder} holds no whole backup: delete it" in ran.stderr
        assert not _is_whole(installation.folder)

    def test_a_dump_that_breaks_off_is_none(self, installation: Installation) -> None:
        installation.program("pg_dumpall", "#!/bin/sh\necho 'CREATE DATA'\nexit 1\n")
        assert installation.run("backup").returncode != 0
        assert not _is_whole(installation.folder)

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_an_interrupted_one_starts_the_platform(self, installation: Installation, number: signal.Signals) -> None:
        installation.program("tar", f"#!/bin/sh\nkill -{number.value} $(ps -o ppid= -p $PPID)\nexit 0\n")
        assert installation.run("backup").returncode != 0
        assert sorted(installation.state["running"]) == sorted(SERVICES)
        assert not _is_whole(installation.folder)

    def test_without_the_databases_nothing_is_stopped(self, installation: Installation) -> None:
        installation.set(running=["edge"])
        refused = installation.run("backup")
        assert (refused.returncode, refused.stderr[:24]) == (2, "postgres does not run: d")
        assert installation.state["running"] == ["edge"]

    def test_a_folder_with_something_in_it_is_refused(self, installation: Installation) -> None:
        installation.succeed("backup")
        installation.set(calls=[])
        assert installation.run("backup").returncode == 2
        assert installation.state["calls"] == []


class TestRefusedRestore:
    @pytest.fixture
    def backed_up(self, installation: Installation) -> Installation:
        installation.succeed("backup")
        installation.lose()
        return installation

    def _refused(self, installation: Installation, sentence: str) -> None:
        before = sorted(installation.checkout.rglob("*"))
        refused = installation.run("restore")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert sentence in refused.stderr
        assert refused.stderr.count("\n") == 1
        assert sorted(installation.checkout.rglob("*")) == before
        changes = ("compose create", "compose up", "run")
        assert not [call for call in installation.state["calls"] if call.startswith(changes)]

    @pytest.mark.parametrize("name", ["databases.sql.gz", "volume-kafka.tar.gz", "checkout.tar.gz"])
    def test_a_file_that_is_missing_or_cut_off_is_refused(self, backed_up: Installation, name: str) -> None:
        file = backed_up.folder / name
        file.write_bytes(file.read_bytes()[:-1])
        self._refused(backed_up, "the backup is damaged")
        file.unlink()
        self._refused(backed_up, "the backup is damaged")

    @pytest.mark.parametrize("name", ["SHA256SUMS", "env"])
    def test_a_backup_without_its_end_or_secrets_is_refused(self, backed_up: Installation, name: str) -> None:
        (backed_up.folder / name).unlink()
        self._refused(backed_up, "holds no whole backup")

    def test_another_installation_is_left_alone(self, backed_up: Installation) -> None:
        backed_up.write(".env", "MINE=1\n")
        self._refused(backed_up, "there is an installation already")
        (backed_up.checkout / ".env").unlink()
        backed_up.set(containers=["edge"])
        self._refused(backed_up, "there are containers already")
        backed_up.set(containers=[])
        (backed_up.engine / "mlplace_kafka").mkdir()
        self._refused(backed_up, "there are volumes already")

    def test_changed_ports_are_no_damage(self, backed_up: Installation) -> None:
        (backed_up.folder / "env").write_text("MLP_PORT=9000\n")
        backed_up.succeed("restore")
        assert (backed_up.checkout / ".env").read_text() == "MLP_PORT=9000\n"

    def test_one_that_fails_says_how_to_repeat_it(self, backed_up: Installation) -> None:
        backed_up.set(fails={"run": 3})
        failed = backed_up.run("restore")
        assert failed.returncode != 0
        assert "not restored: docker compose down --volumes, delete .env, then repeat\n" in failed.stderr
