"""The platform as a process, and the owner of the demo's model `greeting`."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import httpx
import psutil

from mlplace_runtime.process_identity import works_in
from mlplace_testing.ports import free_port

_UNFINISHED = {"IDLE", "RUN", "REVERTING"}
MODEL = "/api/mlpcore/account/acme/model/greeting"


class Platform:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.port = free_port(10)
        self.host = "localhost"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str, settings: Mapping[str, str] | None = None) -> None:
        """`settings`: environment variables in addition to those of this process."""
        command = [sys.executable, "-m", "standalone", "run", "--port", str(self.port), "--data-dir", str(self.data)]
        with (self.folder / "output").open("ab") as output:
            self.process = subprocess.Popen(
                [*command, *options],
                stdout=output,
                stderr=output,
                start_new_session=True,
                env={**os.environ, **(settings or {})},
            )

    @property
    def passwords(self) -> dict[str, str]:
        """Passwords of the demo's users, by login."""
        return json.loads((self.data / "demo.json").read_text())["passwords"]

    @property
    def api_key(self) -> str:
        return json.loads((self.data / "demo.json").read_text())["api_key"]

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def predict_url(self) -> str:
        return f"{self.url}/api/mlpgateway/account/acme/model/greeting/predict"

    @property
    def output(self) -> str:
        return (self.folder / "output").read_text()

    def wait_for(self, text: str, seconds: float = 120) -> float:
        """Returns the seconds until the output contains the text."""
        began = time.monotonic()
        while text not in self.output:
            assert self.process is not None
            assert self.process.poll() is None, self.output
            assert time.monotonic() - began < seconds, self.output
            time.sleep(0.05)
        return time.monotonic() - began

    def stop(self, number: int = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(timeout=90)
        (self.folder / "output").write_text("")
        return code

    def belongings(self) -> list[psutil.Process]:
        """Every process that uses this data folder: PostgreSQL, the agent, instances."""
        found: list[psutil.Process] = []
        for process in psutil.process_iter(["cmdline", "environ", "pid"]):
            words = " ".join(process.info["cmdline"] or [])
            environment = process.info["environ"] or {}
            is_instance = environment.get("MLP_GRPC_HOST") == f"{self.host}:{self.port + 10}"
            is_server = works_in(process.pid, self.data / "postgres")
            if process.pid != os.getpid() and (str(self.data) in words or is_instance or is_server):
                found.append(process)
        return found


class Owner:
    """Manages the instances of the model that `_predict` calls."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    @classmethod
    @contextmanager
    def signed_in(cls, platform: Platform, login: str = "acme@example.org") -> Generator[Self]:
        with httpx.Client(base_url=platform.url, timeout=60) as client:
            owner = cls(client)
            given = {"login": login, "password": platform.passwords[login]}
            owner.post("/api/accountsadmin/c/authorization/login", given)
            yield owner

    def post(self, path: str, body: object = None) -> None:
        self._client.post(path, json=body).raise_for_status()

    def read(self, path: str) -> Any:
        return self._client.get(path).raise_for_status().json()

    def scale(self, count: int) -> None:
        self.post(f"{MODEL}/instances", count)
        self.until_done()
        assert len(self.instances()) == count

    def instances(self) -> set[int]:
        found = self.read(f"{MODEL}/instance")["instances"]
        return {one["id"] for one in found if not one["statusInfo"]["isDeleted"]}

    def restart(self, how: str) -> None:
        """`how`: by the service, or by its image."""
        image = self.read(MODEL)["image"]["id"]
        account = f"/api/mlpcore/account/{image['accountId']}"
        paths = {"service": f"{MODEL}/rolling-update", "image": f"{account}/image/{image['imageId']}/models-restart"}
        self.post(paths[how])

    def until_done(self) -> None:
        """Waits for the newest tasks of the model and of the account."""

        began = time.monotonic()
        while any(task["viewStatus"] in _UNFINISHED for task in self.read("/api/mlpcore/task/short")):
            assert time.monotonic() - began < 120
            time.sleep(0.1)
