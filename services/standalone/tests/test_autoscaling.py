"""Real processes: load makes a second instance, its end removes it, an unused service sleeps, and a call wakes it."""

import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from .platform_process import MODEL, Owner, Platform

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]

_SETTINGS = {
    "MLP_MLPCORE_AUTOSCALING_SECONDS": "1",
    "MLP_MLPCORE_AUTOSCALING_WINDOW_SECONDS": "10",
    "MLP_MLPCORE_AUTOSCALING_MINUTE_SECONDS": "5",
    "MLP_MLPCORE_DRAIN_SECONDS": "1",
    "MLP_MLPGATEWAY_SAMPLE_SECONDS": "1",
}
"""A minute of cooldown or idle time lasts five seconds."""
_PER_SECOND = 2.0
"""Calls before the load doubles: 120 a minute, below the threshold of 180."""
_SCALING = {
    "enabled": True,
    "minInstanceCount": 0,
    "maxInstanceCount": 3,
    "cooldownDurationMinutes": 1,
    "scaleUpRequestsPerMinuteThreshold": 180,
    "scaleDownRequestsPerMinuteThreshold": 90,
    "idleTimeMinutes": 1,
}


@pytest.fixture(scope="module")
def platform() -> Generator[Platform]:
    with tempfile.TemporaryDirectory(prefix="mlplace-scaling-") as folder:
        made = Platform(Path(folder))
        made.start(settings=_SETTINGS)
        made.wait_for("stop: Ctrl-C")
        yield made
        made.stop()
        for process in made.belongings():
            process.kill()


@contextmanager
def _calls(platform: Platform, per_second: float) -> Generator[list[int]]:
    """Calls at a constant rate while the block runs. Yields the statuses of the answers."""
    over, statuses = threading.Event(), list[int]()

    def run() -> None:
        with httpx.Client(headers={"MLP-API-KEY": platform.api_key}, timeout=60) as client:
            due = time.monotonic()
            while not over.wait(max(0.0, due - time.monotonic())):
                statuses.append(client.post(platform.predict_url, json={"name": "Ada"}).status_code)
                due += 1 / per_second

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield statuses
    finally:
        over.set()
        thread.join()


def _until(what: Callable[[], bool], *, seconds: float = 90) -> float:
    """Waits until it is so. Returns the seconds that it took."""
    began = time.monotonic()
    while not what():
        assert time.monotonic() - began < seconds
        time.sleep(0.2)
    return time.monotonic() - began


def _connected(owner: Owner) -> int:
    return int(owner.read(f"{MODEL}/instances")["internalActive"])


@pytest.mark.ordered
class TestAutoscaling:
    """The tests run in order; each uses the state that the previous one left."""

    def test_doubled_load_makes_a_second_instance_and_its_end_removes_it(self, platform: Platform) -> None:
        with Owner.signed_in(platform) as owner:
            owner.post(
                MODEL, {"modelName": "greeting", "hostingType": "AUTOMATIC", "autoScalingConfiguration": _SCALING}
            )
            owner.post(f"{MODEL}/instances", 1)
            with _calls(platform, _PER_SECOND) as statuses:
                _until(lambda: owner.read(f"{MODEL}/autoscaling")["values"].get("requestsPerMinute", 0) > 90)
                assert len(owner.instances()) == 1
                with _calls(platform, _PER_SECOND) as added:
                    _until(lambda: _connected(owner) == 2)
                _until(lambda: len(owner.instances()) == 1)
            assert set(statuses) | set(added) == {200}
            kinds = [each["kind"] for each in owner.read(f"{MODEL}/autoscaling/decisions")]
            assert kinds[:2] == ["SCALE_DOWN", "SCALE_UP"]

    def test_unused_service_sleeps_and_the_next_call_wakes_it(self, platform: Platform) -> None:
        with Owner.signed_in(platform) as owner:
            assert _until(lambda: owner.instances() == set()) > 5 / 2
            _until(lambda: owner.read(f"{MODEL}/status")["state"] == "SLEEPING")
            with _calls(platform, 0.1) as statuses:
                _until(lambda: bool(statuses))
            assert statuses == [200]
            kinds = [each["kind"] for each in owner.read(f"{MODEL}/autoscaling/decisions")]
            assert kinds[:2] == ["WAKE_UP", "SLEEP"]
