"""The platform, an agent and the containers of instances are killed in random order under starts and stops."""

import os
import random
import tempfile
import threading
import time
from collections.abc import Generator
from pathlib import Path

import docker
import docker.errors
import pytest

from mlplace_testing.processes import ForkServer
from mlplace_testing.servers.containers import touch_engine
from standalone.demo.content import OWNER
from tests.acceptance.waiting import eventually
from tests.chaos.boxes import MODEL, Boxes, build_image, create_model, unsettled
from tests.chaos.conftest import FULL, ReportFigure
from tests.chaos.installation import Installation
from tests.chaos.orders import Orders
from tests.chaos.processes import kill_processes

_IMAGE = os.environ.get("MLP_TEST_IMAGE", "python:3.12-slim")
_SETTLED_SECONDS = 60
_ROUNDS = 12 if FULL else 4


@pytest.fixture
def engine() -> Generator[docker.DockerClient]:
    try:
        touch_engine()
        client = docker.from_env(timeout=60)
        client.ping()
        build_image(client, _IMAGE)
    except (docker.errors.DockerException, OSError) as error:
        pytest.skip(f"no Docker engine with the image {_IMAGE} answers: {error}")
    yield client
    client.close()


@pytest.fixture
def boxed_installation(fork_server: ForkServer, engine: docker.DockerClient) -> Generator[Installation]:
    options = {"docker": {"enabled": True}}
    with tempfile.TemporaryDirectory(prefix="mlplace-chaos-", ignore_cleanup_errors=True) as folder:
        made = Installation(fork_server, Path(folder), options)
        yield made
        made.agent.kill()
        made.platform.kill()
        kill_processes(made.folder)


@pytest.mark.e2e
@pytest.mark.docker
@pytest.mark.timeout(600)
class TestContainers:
    def test_no_container_is_left_that_nobody_knows_and_no_place_is_lost(
        self, seed: int, boxed_installation: Installation, engine: docker.DockerClient, report_figure: ReportFigure
    ) -> None:
        began, chance = time.monotonic(), random.Random(seed)
        installation = boxed_installation
        platform = installation.first_start()
        boxes = Boxes.of(engine, installation)
        try:
            with platform.signed_in(OWNER.login) as owner:
                create_model(platform, owner)
            with Orders(platform) as orders:
                faults = _RandomFaults(installation, orders, boxes, chance)
                faults.order(2)
                eventually(boxes.running, seconds=_SETTLED_SECONDS)
                report_figure(f"seed {seed}: containers after {time.monotonic() - began:.0f} s")
                for number in range(_ROUNDS):
                    faults.round(number)
                installation.wait_until_up()
                faults.order(2)
                self._settles(faults, {2})
                report_figure(f"settled after {time.monotonic() - began:.0f} s: {'; '.join(faults.history)}")
                faults.order(0)
                self._settles(faults, {0})
            assert boxes.containers() == []
            assert installation.query("mlpcore", "SELECT * FROM allocation") == []
        finally:
            boxes.remove()
        assert installation.agent.stop() == 0
        assert installation.platform.stop() == 0

    @staticmethod
    def _settles(faults: "_RandomFaults", possible: set[int]) -> None:
        try:
            eventually(lambda: faults.unsettled(possible), until=lambda listed: not listed, seconds=_SETTLED_SECONDS)
        except TimeoutError as error:
            pytest.fail(f"{error}\nafter: {'; '.join(faults.history)}")


class _RandomFaults:
    def __init__(self, installation: Installation, orders: Orders, boxes: Boxes, chance: random.Random) -> None:
        self._installation = installation
        self._orders = orders
        self._boxes = boxes
        self._chance = chance
        self._kills = [self._kill_agent, self._kill_platform, self._kill_container, self._kill_both]
        self.history: list[str] = []

    def unsettled(self, possible: set[int]) -> list[str]:
        return unsettled(self._installation, self._orders, self._boxes, possible)

    def order(self, count: int) -> None:
        accepted = self._orders.place(MODEL, count)
        self.history.append(f"request {count}{'' if accepted else ': not accepted'}")

    def round(self, number: int) -> None:
        """An order, and a kill in the middle of another one; then what is down starts again."""
        if number % len(self._kills) == 0:
            self._chance.shuffle(self._kills)
        self.order(self._chance.randrange(3))
        self._pause(0.6)
        order = threading.Thread(target=self.order, args=(self._chance.randrange(1, 3),), name="order")
        order.start()
        self._pause(0.3)
        self._kills[number % len(self._kills)]()
        order.join()
        self._pause(0.6)
        self._installation.agent.start()
        self._installation.platform.start()
        self._installation.wait_until_up()

    def _kill_agent(self) -> None:
        self.history.append("kill the agent")
        self._installation.agent.kill()

    def _kill_platform(self) -> None:
        self.history.append("kill the platform")
        self._installation.platform.kill()

    def _kill_both(self) -> None:
        self._kill_agent()
        self._kill_container()

    def _kill_container(self) -> None:
        running = self._boxes.running()
        if not running:
            return
        victim = self._chance.choice(running)
        self.history.append(f"kill the container {victim.name}")
        try:
            victim.kill()
        except docker.errors.APIError:
            self.history.append("it had ended")

    def _pause(self, longest: float) -> None:
        time.sleep(self._chance.uniform(0, longest))
