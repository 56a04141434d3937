"""The interface of a runtime. Both runtimes pass the same contract tests."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from mlplace_agent.capture import Capture
from mlplace_contracts.internal.hosting import DesiredInstance


class RefusedError(Exception):
    """The server cannot run the instance; a retry would not help. The text says why.

    `without_address`: the text for those who must not learn the image's address.
    """

    def __init__(self, message: str, *, without_address: str | None = None) -> None:
        self.without_address = message if without_address is None else without_address
        super().__init__(message)


class StartFailedError(Exception):
    """The start failed; a retry may succeed. `reason` is one short word. `without_address`: as for RefusedError."""

    def __init__(self, reason: str, message: str, *, without_address: str | None = None) -> None:
        self.reason = reason
        self.without_address = message if without_address is None else without_address
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended. `exit_code` is 128 + the signal's number if a signal ended it, as in shells."""

    exit_code: int
    reason: str
    message: str | None = None


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """Where gates reach the port of an instance."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class RunUse:
    """What a run has used since it began, and the memory that it has now. None: not known."""

    cpu_nanoseconds: int | None
    ram_bytes: int | None


COMPLETED = "Completed"
ERROR = "Error"
KILLED = 137
"""The exit code of a run that SIGKILL ended."""


def ended(exit_code: int, *, message: str | None = None) -> Ended:
    return Ended(exit_code, COMPLETED if exit_code == 0 else ERROR, message)


class Run(ABC):
    """One run of one instance. `http` is None if the instance does not listen for HTTP.

    `disk_bytes`: what it held on the disk when that was last measured.
    """

    output: Capture
    http: HttpAddress | None = None
    disk_bytes: int = 0

    @abstractmethod
    def status(self) -> Ended | None:
        """None while it runs."""

    @abstractmethod
    async def wait(self) -> Ended:
        """Waits until the run has ended for any reason. `output` then holds all of its output."""

    @abstractmethod
    async def stop(self, *, grace_seconds: float) -> Ended:
        """Send SIGTERM; after `grace_seconds`, kill the instance and all processes that it started."""

    @abstractmethod
    async def kill(self) -> Ended:
        """Kill it at once. Does nothing if the run has ended."""

    async def use(self) -> RunUse | None:
        """Returns None if the run has ended, or if it cannot be measured now."""
        return None


class Runtime(ABC):
    """`runs_containers`: whether it runs images in containers; None: it may run any image. `programs`: addresses of
    images that it runs as programs.
    """

    runs_containers: bool | None = None
    programs: tuple[str, ...] = ()

    @abstractmethod
    async def start(self, instance: DesiredInstance) -> Run:
        """Raises RefusedError, StartFailedError."""

    @abstractmethod
    async def remove_leftovers(self) -> int:
        """Kill what an earlier agent of this server left running. Returns the number of runs."""

    async def sweep(self) -> int:
        """End what runs without a run of this agent, whatever the reason. The agent calls it from time to time."""
        return 0

    @abstractmethod
    async def close(self) -> None: ...
