"""What the demo creates, and how long a start waits for its services."""

import asyncio
import json
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from mlpcore.features.data_images.schemas import DataImageData
from mlplace_runtime.internal_client import InternalClient
from mlplace_testing.http_server import answering
from standalone.demo.bootstrap_client import BootstrapClient
from standalone.demo.bucket_files import BUCKET_FILES
from standalone.demo.content import SERVICES, DemoUser
from standalone.demo.setup import Demo
from standalone.demo.state import DemoState

_NAMES = [service.name for service in SERVICES if service.running]


def _platform(states: dict[str, list[str | None]]) -> AbstractContextManager[str]:
    """Answers each request for a model with its next state, the last one for ever; None: there is no such model."""

    def answer(path: str, _authorization: str, _body: bytes) -> tuple[int, bytes]:
        left = states[path.rpartition("/")[2]]
        state = left.pop(0) if len(left) > 1 else left[0]
        return 503 if state == "" else 404 if state is None else 200, json.dumps({"state": state}).encode()

    return answering(answer)


class TestWaitUntilRunning:
    @pytest.mark.parametrize("state", ["RUNNING", "INACTIVE", "REMOVING", "SLEEPING", None])
    async def test_waits_for_what_starts_and_for_nothing_else(self, tmp_path: Path, state: str | None) -> None:
        """A service that somebody has stopped must not delay each later start by a minute."""
        states: dict[str, list[str | None]] = {name: ["RUNNING"] for name in _NAMES}
        states[_NAMES[0]] = ["", "STARTING", "STARTING", state]
        with _platform(states) as address:
            demo = Demo(
                address=address,
                bootstrap_client=BootstrapClient(InternalClient({}, "token")),
                state_file=tmp_path / "demo.json",
                currency="RUBLE",
            )
            async with asyncio.timeout(60):
                await demo.wait_until_running(DemoState(api_key="key"))
        assert states[_NAMES[0]] == [state]


class _Bootstrap(BootstrapClient):
    """Has every user and account already."""

    def __init__(self) -> None:
        super().__init__(InternalClient({}, "token"))

    async def ensure_user(self, user: DemoUser, *, password: str) -> int:
        return 5

    async def configure_account(self, account_id: int, **_settings: object) -> None: ...

    async def refill(self, account_id: int, *, nano: int, currency: str) -> None: ...


_SAID = {"accountId": 5, "token": "key", "objects": [], "folders": []}
"""What the platform answers to everything else."""


class TestDataImages:
    @pytest.mark.parametrize("status", [200, 409])
    async def test_the_demo_has_one_that_everybody_sees_and_keeps_one_of_its_name(
        self, tmp_path: Path, status: int
    ) -> None:
        sent: list[bytes] = []

        def answer(path: str, _authorization: str, body: bytes) -> tuple[int, bytes]:
            if path.endswith("/data-image"):
                sent.append(body)
                return status, b"{}"
            if path.endswith("/dataset"):
                return 409, b"{}"
            return 200, json.dumps(_SAID).encode()

        with answering(answer) as address:
            file = tmp_path / "demo.json"
            demo = Demo(address=address, bootstrap_client=_Bootstrap(), state_file=file, currency="RUBLE", services=())
            assert (await demo.ensure()).api_key == "key"
        (body,) = sent
        made = DataImageData.model_validate_json(body)
        assert (made.name, made.access_mode) == ("time-zones", "public")


class TestBucketFiles:
    @pytest.mark.parametrize("folders", [[], [{"name": "own", "prefix": "own/"}]])
    async def test_the_demo_fills_an_empty_bucket(self, tmp_path: Path, folders: list[dict[str, str]]) -> None:
        sent: list[bytes] = []

        def answer(path: str, _authorization: str, body: bytes) -> tuple[int, bytes]:
            if path.endswith("/s3/content"):
                sent.append(body)
            if path.endswith(("/dataset", "/data-image")):
                return 409, b"{}"
            return 200, json.dumps({**_SAID, "folders": folders}).encode()

        with answering(answer) as address:
            file = tmp_path / "demo.json"
            demo = Demo(address=address, bootstrap_client=_Bootstrap(), state_file=file, currency="RUBLE", services=())
            await demo.ensure()
        assert sent == ([] if folders else [each.content.encode() for each in BUCKET_FILES])
