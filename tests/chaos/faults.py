"""A random sequence of orders and kills. The seed determines it, except which of the running instances is killed."""

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from functools import partial

import psutil

from tests.chaos.installation import Installation, Part
from tests.chaos.orders import MODELS, Orders
from tests.chaos.processes import instance_processes

_LONGEST_PAUSE = 0.6
_MOST_INSTANCES = 2


class RandomFaults:
    """`history` says what was done, for the message of a failure."""

    def __init__(self, installation: Installation, orders: Orders, chance: random.Random) -> None:
        self._installation = installation
        self._orders = orders
        self._chance = chance
        self.history: list[str] = []

    def run(self, rounds: int) -> None:
        """Each round has an order, a kill in the middle of another order, and what is down starts again."""
        kills = [self._kill_platform, self._kill_agent, self._kill_own_agent, self._kill_instance]
        for number in range(rounds):
            if number % len(kills) == 0:
                self._chance.shuffle(kills)
            self._next_order()()
            self._during_an_order(kills[number % len(kills)])
            self._pause()
        self._installation.platform.start()
        self._installation.agent.start()

    def _during_an_order(self, kill: Callable[[], None]) -> None:
        order = threading.Thread(target=self._next_order(), name="order")
        order.start()
        self._pause(0.15)
        kill()
        order.join()
        if self._chance.random() < 0.4:  # another one before the first victim has recovered
            self._kill_instance()
        self._pause()
        self._installation.agent.start()
        self._start_platform()

    def _start_platform(self) -> None:
        """Sometimes the platform dies again while it starts."""
        if self._installation.platform.runs:
            return
        self._installation.platform.start()
        if self._chance.random() < 0.3:
            self._pause(1.5)
            self._kill(self._installation.platform)
            self._installation.platform.start()
        self._installation.wait_until_up()

    # --- orders ---------------------------------------------------------------------------------------------------

    def _next_order(self) -> Callable[[], None]:
        model = self._chance.choice(MODELS)
        match self._chance.randrange(8):
            case 0 | 1 | 2:
                return partial(self._request, model, self._chance.randint(1, _MOST_INSTANCES))
            case 3:
                return partial(self._request, model, 0)
            case 4 | 5:
                return partial(self._replace, model)
            case 6:
                return partial(self._limit, instances=self._chance.choice((1, 3, 20)))
            case _:
                return partial(self._limit, cores=self._chance.choice(("100m", "300m", "4")))

    def _request(self, model: str, count: int) -> None:
        self._tell(f"request {count} of {model}", accepted=self._orders.request(model, count))

    def _replace(self, model: str) -> None:
        self._tell(f"replace the instances of {model}", accepted=self._orders.replace(model))

    def _limit(self, *, instances: int = 20, cores: str = "4") -> None:
        accepted = self._orders.limit(instances=instances, cores=cores)
        self._tell(f"limit the owner to {instances} instances and {cores} cores", accepted=accepted)

    # --- kills ----------------------------------------------------------------------------------------------------

    def _kill_platform(self) -> None:
        self._kill(self._installation.platform)

    def _kill_agent(self) -> None:
        self._kill(self._installation.agent)

    def _kill(self, part: Part) -> None:
        self._tell(f"kill the {part.name}")
        part.kill()

    def _kill_own_agent(self) -> None:
        """The platform's child, which the platform starts again."""
        configuration = str(self._installation.data / "agent" / "agent.json")
        for process in psutil.process_iter(["cmdline"]):
            if configuration in (process.info["cmdline"] or ()):
                self._tell("kill the platform's own agent")
                _kill(process.pid)

    def _kill_instance(self) -> None:
        running = sorted(instance_processes(self._installation.folder), key=lambda found: found.pid)
        if running:
            victim = self._chance.choice(running)
            self._tell(f"kill instance {victim.instance_id}")
            _kill(victim.pid)

    def _pause(self, longest: float = _LONGEST_PAUSE) -> None:
        time.sleep(self._chance.uniform(0, longest))

    def _tell(self, what: str, *, accepted: bool = True) -> None:
        self.history.append(what if accepted else f"{what}: not accepted")


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
