"""What the agent asks of a way to run instances. Both runtimes pass the same contract tests."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from mlplace_agent.capture import Capture
from mlplace_contracts.internal.hosting import DesiredInstance


class RefusedError(Exception):
    """Trying again will not help: that instance cannot run on this server. The text says why."""


class StartFailedError(Exception):
    """It did not start this time; trying again may help. `reason` is one short word."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended. `exit_code` is 128 + the signal's number when a signal ended it, as shells count."""

    exit_code: int
    reason: str
    message: str | None = None


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """Where gates reach the port that an instance listens on."""

    host: str
    port: int


COMPLETED = "Completed"
ERROR = "Error"
OUT_OF_MEMORY = "OOMKilled"


def ended(exit_code: int, *, out_of_memory: bool = False, message: str | None = None) -> Ended:
    if out_of_memory:
        return Ended(exit_code, OUT_OF_MEMORY, message or "the instance used more memory than its limit")
    return Ended(exit_code, COMPLETED if exit_code == 0 else ERROR, message)


class Run(ABC):
    """One run of one instance, from its start to its end. `http` is None when it shall listen nowhere."""

    output: Capture
    http: HttpAddress | None = None

    @abstractmethod
    def status(self) -> Ended | None:
        """None while it runs."""

    @abstractmethod
    async def wait(self) -> Ended:
        """Until it has ended, by itself or because it was asked to. All of its output is in `output` then."""

    @abstractmethod
    async def stop(self, *, grace_seconds: float) -> Ended:
        """Ask it to end (SIGTERM); kill it, with everything that it started, when it has not within the time."""

    @abstractmethod
    async def kill(self) -> Ended:
        """End it at once. Ending what has ended is no error."""


class Runtime(ABC):
    @abstractmethod
    async def start(self, instance: DesiredInstance) -> Run:
        """Raises RefusedError, StartFailedError."""

    @abstractmethod
    async def sweep(self) -> int:
        """End what an earlier agent of this server left behind. Returns how many runs that were."""

    @abstractmethod
    async def close(self) -> None: ...
