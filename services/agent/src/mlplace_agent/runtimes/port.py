"""The interface of a runtime. Both runtimes pass the same contract tests."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from mlplace_agent.capture import Capture
from mlplace_contracts.internal.hosting import DesiredInstance


class RefusedError(Exception):
    """The server cannot run the instance; a retry would not help. The text says why."""


class StartFailedError(Exception):
    """The start failed; a retry may succeed. `reason` is one short word."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
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


COMPLETED = "Completed"
ERROR = "Error"
OUT_OF_MEMORY = "OOMKilled"


def ended(exit_code: int, *, out_of_memory: bool = False, message: str | None = None) -> Ended:
    if out_of_memory:
        return Ended(exit_code, OUT_OF_MEMORY, message or "the instance used more memory than its limit")
    return Ended(exit_code, COMPLETED if exit_code == 0 else ERROR, message)


class Run(ABC):
    """One run of one instance. `http` is None if the instance does not listen for HTTP."""

    output: Capture
    http: HttpAddress | None = None

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


class Runtime(ABC):
    @abstractmethod
    async def start(self, instance: DesiredInstance) -> Run:
        """Raises RefusedError, StartFailedError."""

    @abstractmethod
    async def sweep(self) -> int:
        """Kill what an earlier agent of this server left running. Returns the number of runs."""

    @abstractmethod
    async def close(self) -> None: ...
