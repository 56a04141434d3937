"""Messages of `make run` on a machine where it cannot install, and its behaviour if nothing has changed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "bootstrap"
BASIC_COMMANDS = ["sh", "dirname", "sed", "grep", "cksum", "cat"]
Bootstrap = Callable[[], "subprocess.CompletedProcess[str]"]
OLD_PYTHON = '#!/bin/sh\ncase "$*" in --version) echo Python 3.9.2;; *version_info*) exit 1;; esac\n'
PYTHON_WITHOUT_VENV = '#!/bin/sh\ncase "$*" in *ensurepip*) exit 1;; esac\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ["requirements/build.txt", "pyproject.toml", "a/pyproject.toml", "a/b/pyproject.toml"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "tools").mkdir()
    shutil.copy(SCRIPT, tmp_path / "tools")
    (tmp_path / "bin").mkdir()
    for command in BASIC_COMMANDS:
        (tmp_path / "bin" / command).symlink_to(str(shutil.which(command)))
    return tmp_path


@pytest.fixture
def bootstrap(checkout: Path) -> Bootstrap:
    command = [str(checkout / "tools/bootstrap"), "runtime"]
    environment = {"PATH": str(checkout / "bin"), "HOME": os.environ.get("HOME", "/")}
    return lambda: subprocess.run(command, check=False, capture_output=True, env=environment, text=True)


def write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class TestMissingPython:
    def test_no_python_at_all(self, bootstrap):
        result = bootstrap()
        assert result.returncode == 1
        assert result.stderr == "error: MLPlace needs Python 3.11 or newer on the PATH as python3 (found: none).\n"

    def test_names_a_python_that_is_too_old(self, checkout, bootstrap):
        write_program(checkout / "bin/python3", OLD_PYTHON)
        assert bootstrap().stderr.endswith("(found: Python 3.9.2).\n")

    def test_uses_a_newer_python_of_another_name(self, checkout, bootstrap):
        write_program(checkout / "bin/python3", OLD_PYTHON)
        write_program(checkout / "bin/python3.12", PYTHON_WITHOUT_VENV)
        assert bootstrap().stderr.startswith("error: python3.12 lacks the venv module")


class TestSecondStart:
    @pytest.fixture
    def installed(self, checkout: Path) -> Path:
        venv = checkout / ".venv"
        write_program(venv / "bin/python", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        (venv / "bin/activate").write_text(f"VIRTUAL_ENV={checkout.resolve()}/.venv\n")
        inputs = (
            f"cd {checkout}; cat tools/bootstrap requirements/*.txt pyproject.toml */pyproject.toml */*/pyproject.toml"
        )
        stamp = subprocess.run(["sh", "-c", f"({inputs}) | cksum"], check=True, capture_output=True, text=True).stdout
        (venv / ".installed-runtime").write_text(stamp)
        return checkout

    def test_does_nothing_without_changes(self, installed, bootstrap):
        result = bootstrap()
        assert (result.returncode, result.stderr) == (0, "")

    def test_recreates_an_interrupted_installation(self, installed, checkout, bootstrap):
        (installed / ".venv.unfinished").touch()
        assert "needs Python 3.11 or newer" in bootstrap().stderr  # to recreate it with; this test has none
        write_program(checkout / "bin/python3.12", PYTHON_WITHOUT_VENV)
        assert "lacks the venv module" in bootstrap().stderr

    @pytest.mark.parametrize("name", ["requirements/build.txt", "pyproject.toml", "a/b/pyproject.toml"])
    def test_a_changed_input_installs_again(self, installed, bootstrap, name):
        (installed / name).write_text("# changed\n")
        assert bootstrap().stderr.startswith("Installing the runtime packages")
