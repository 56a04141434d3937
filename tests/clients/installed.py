"""Installs the clients of others, each with the packages of its own lock file: one restricts what others depend on."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
_FOLDER = ROOT / ".clients"
_SECONDS = 600.0


def python_with(client: str) -> Path:
    """Returns the interpreter of a virtual environment with `requirements/{client}.txt`, which `make lock` writes.

    Skips the test without it.
    """
    requirements, environment = HERE / "requirements" / f"{client}.txt", _FOLDER / client
    python = environment / "bin" / "python"
    uv = str(Path(sys.executable).parent / "uv")
    install = [uv, "pip", "install", "--quiet", "--require-hashes", "--no-deps", "--only-binary", ":all:"]
    _install(
        client,
        environment / "installed.txt",
        requirements.read_text(),
        [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(environment)],
        [*install, "--python", str(python), "--requirement", str(requirements)],
    )
    return python


def packages_of_node() -> Path:
    """Returns the folder of the JavaScript client, with its packages. Skips the test without them."""
    folder = HERE / "javascript"
    wanted = (folder / "package-lock.json").read_text()
    _install("openai for JavaScript", folder / "node_modules" / ".installed", wanted, ["npm", "ci"], folder=folder)
    return folder


def program(name: str, package: str) -> str:
    """Returns the name of a system program. Skips the test without it; `package` contains it on Debian and Ubuntu."""
    found = subprocess.run(["/bin/sh", "-c", f"command -v {name}"], check=False, capture_output=True)
    if found.returncode != 0:
        pytest.skip(f"{name} is not installed (Debian and Ubuntu: apt-get install {package})")
    return name


def _install(client: str, stamp: Path, wanted: str, *commands: Sequence[str], folder: Path = ROOT) -> None:
    if stamp.exists() and stamp.read_text() == wanted:
        return
    _FOLDER.mkdir(exist_ok=True)
    quiet = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    for command in commands:
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS, cwd=folder, env=quiet)
        except (OSError, subprocess.SubprocessError) as error:
            said = getattr(error, "stderr", None) or b""
            pytest.skip(f"{client} could not be installed: {error} {said.decode(errors='replace')[-300:]}")
    stamp.write_text(wanted)
