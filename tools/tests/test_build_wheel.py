"""Tests the wheel of `make package`: its contents, and that it starts with nothing but its requirements installed."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Generator
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

import build_wheel
import httpx
import pytest
from packaging.requirements import Requirement

from mlplace_testing.ports import free_port

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
_START_SECONDS = 120.0


class TestContents:
    def test_all_but_test_support_goes_in(self) -> None:
        members = [*ROOT.glob("libs/*/src/*"), *ROOT.glob("services/*/src/*"), *ROOT.glob("examples/src/*")]
        assert {package.name for package in members} - {package.name for package in build_wheel.packages()} == {
            "mlplace_testing"
        }

    def test_requires_exactly_the_pinned_versions(self) -> None:
        required = [Requirement(line) for line in build_wheel.requirements()]
        pinned = re.findall(r"^[\w.\[\]-]+==", (ROOT / "requirements/runtime.txt").read_text(), re.MULTILINE)
        assert len(required) == len(pinned) > 50
        assert all(str(requirement.specifier).startswith("==") for requirement in required)


@pytest.fixture
def folder() -> Generator[Path]:
    """Yields a folder with a short name, because the path of the databases' socket has a limit."""
    with tempfile.TemporaryDirectory(prefix="mlplace-wheel-") as name:
        yield Path(name)


@pytest.fixture
def wheel(folder: Path) -> Path:
    built = subprocess.run([ROOT / "tools/frontend", "build"], check=False, capture_output=True, text=True)
    if "needs Node.js" in built.stderr:
        pytest.skip(built.stderr)
    assert built.returncode == 0, built.stderr
    return build_wheel.build(folder / "dist")


def install(wheel: Path, environment: Path) -> Path:
    """Returns the command `mlplace` of a new environment that holds only the wheel and its requirements, linked."""
    venv.create(environment, symlinks=True)
    python = environment / "bin/python"
    command = [
        BIN / "uv",
        "pip",
        "install",
        "--quiet",
        "--offline",
        "--no-cache",
        "--no-deps",
        "--python",
        python,
        wheel,
    ]
    subprocess.run(command, check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    for requirement in requirements_of(wheel):
        if requirement.marker is None or requirement.marker.evaluate():
            link(requirement, site)
    return environment / "bin/mlplace"


def requirements_of(wheel: Path) -> list[Requirement]:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        lines = Parser().parsestr(archive.read(metadata).decode()).get_all("Requires-Dist")
    return [Requirement(line) for line in lines or []]


def link(requirement: Requirement, site: Path) -> None:
    installed = distribution(requirement.name)
    assert installed.version in requirement.specifier
    for name in {path.parts[0] for path in installed.files or []} - {"..", "__pycache__"}:
        if not (site / name).exists():  # several may share a namespace
            (site / name).symlink_to(str(installed.locate_file(name)))


class Started:
    """Runs `mlplace run` in `folder`, which is not a checkout."""

    def __init__(self, mlplace: Path, folder: Path) -> None:
        self.data = folder.parent / "data"
        self.port, self._gate_port = free_port(), free_port()
        self._output = folder.parent / "output"
        self._command = [mlplace, "run", f"--port={self.port}", f"--grpc-port={self._gate_port}"]
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                [*self._command, f"--data-dir={self.data}"], cwd=folder, env=clean(), stdout=output, stderr=output
            )

    def wait_until_up(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while "MLPlace is up" not in self.output:
            assert self._process.poll() is None, self.output
            assert time.monotonic() < deadline, self.output
            time.sleep(0.1)

    @property
    def output(self) -> str:
        return self._output.read_text()

    def get(self, path: str) -> httpx.Response:
        return httpx.get(f"http://localhost:{self.port}{path}", timeout=30)

    def predict(self, model: str, body: object) -> httpx.Response:
        key = json.loads((self.data / "demo.json").read_text())["api_key"]
        url = f"http://localhost:{self.port}/api/mlpgateway/account/acme/model/{model}/predict"
        return httpx.post(url, json=body, headers={"MLP-API-KEY": key}, timeout=30)

    def stop(self) -> int:
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(timeout=90)

    def kill(self) -> None:
        """Its child processes end with it."""
        self._process.kill()
        self._process.wait()


def clean() -> dict[str, str]:
    """Returns the environment without the variables that change where Python or the platform look for files."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MLP_", "VIRTUAL_ENV"))}


@pytest.mark.e2e
@pytest.mark.timeout(300)
class TestInstalled:
    def test_starts_outside_a_checkout_with_the_web_interface_and_the_demo(self, folder: Path, wheel: Path) -> None:
        mlplace = install(wheel, folder / "environment")
        started = Started(mlplace, with_decoys(folder / "elsewhere"))
        try:
            started.wait_until_up()
            assert f"Data: {started.data}    delete all data: mlplace reset --data-dir {started.data}" in started.output
            page = started.get("/")
            assert page.text == (ROOT / "frontend/dist/index.html").read_text()
            script = started.get(script_of(page.text))
            assert script.headers["content-type"].startswith("text/javascript")
            assert script.headers["content-encoding"] == "gzip", "the wheel holds the compressed variants"
            assert started.get("/api/mlpcore/version").json()["buildNumber"] == wheel.name.split("-")[1]
            answer = started.predict("greeting", {"name": "Ada"})
            assert answer.status_code == 200, answer.text
            assert started.stop() == 0
        finally:
            started.kill()
        descriptor = [mlplace, "descriptor", "mlplace_examples.greeting.__main__:greet"]
        told = subprocess.run(descriptor, check=True, env=clean(), capture_output=True, timeout=60, text=True)
        assert "Greeting" in told.stdout, "the command is the SDK's, too"


def with_decoys(folder: Path) -> Path:
    for decoy in ("frontend/dist/index.html", "httpx.py", "mlplace_agent.py"):
        (folder / decoy).parent.mkdir(parents=True, exist_ok=True)
        (folder / decoy).write_text("raise SystemExit('of another project')")
    return folder


def script_of(page: str) -> str:
    found = re.search(r'src="(/assets/[^"]+\.js)"', page)
    assert found, page
    return found[1]
