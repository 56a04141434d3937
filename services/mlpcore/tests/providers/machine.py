"""What really runs on the server of a test, and how each provider of the contract gets its turn there."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from mlpcore.features.providers.port import Capability
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_kit.clock import Clock

P = ReportedPhase
MILLI_CPU, RAM_MB, DISK_MB = 2000, 4000, 10_000
"""What each machine has."""


@dataclass(frozen=True)
class Work:
    """What an order asked to run."""

    instance_id: int
    generation: int
    image: str = "acme/stray:1"
    variables: frozenset[tuple[str, str]] = frozenset()
    memory_bytes: int = 1
    mounts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    work: Work
    phase: ReportedPhase
    started_at: datetime | None = None
    finished_at: datetime | None = None
    exit_code: int | None = None
    restart_count: int = 0


class Machine:
    """`runs`: all that the machine shows, ended ones too. `started`: each start that was ever ordered."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.runs: dict[int, Run] = {}
        self.started: list[Work] = []

    @property
    def running(self) -> dict[int, int]:
        """The generation of each instance that runs."""
        return {number: run.work.generation for number, run in self.runs.items() if run.phase is P.RUNNING}

    def start(self, work: Work) -> None:
        assert work.instance_id not in self.running, "one instance never runs twice"
        self.started.append(work)
        self.runs[work.instance_id] = Run(work, P.RUNNING, started_at=self._clock.now())

    def end(self, instance_id: int, generation: int) -> None:
        """Also one that never ran in this generation: the machine shows it as ended."""
        run = self.runs.get(instance_id)
        if run is None or run.work.generation < generation:
            run = Run(Work(instance_id, generation), P.EXITED)
        self.runs[instance_id] = replace(run, phase=P.EXITED, finished_at=self._clock.now())

    def forget(self, instance_ids: Iterable[int]) -> None:
        """Ends them without a trace."""
        for number in instance_ids:
            self.runs.pop(number, None)

    def crash(self, instance_id: int) -> None:
        """The run ends by itself, and will be started again."""
        run = self.runs[instance_id]
        self.runs[instance_id] = replace(
            run, phase=P.BACKOFF, exit_code=3, finished_at=self._clock.now(), restart_count=run.restart_count + 1
        )


class Site(ABC):
    """A server with its provider. `ordered`: what the last turn ordered to run."""

    def __init__(self, server_id: int, machine: Machine) -> None:
        self.server_id = server_id
        self.machine = machine
        self.capabilities = frozenset(Capability)
        self.ordered: dict[int, Work] = {}

    @abstractmethod
    async def turn(self, *, interrupted: bool = False) -> None:
        """`interrupted`: what the platform has decided is lost."""

    async def turns(self, count: int) -> None:
        for _ in range(count):
            await self.turn()
