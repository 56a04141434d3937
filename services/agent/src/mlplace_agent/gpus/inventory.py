"""Knows the GPUs of this machine, from the lines of the probe process."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import structlog
from pydantic import TypeAdapter, ValidationError

from mlplace_agent.gpus import probe
from mlplace_agent.identity import write_private
from mlplace_contracts.internal.hosting import ReportedGpu

log = structlog.get_logger(__name__)

_SECONDS = 5.0
_SILENT_LINES = 6
_LOST_AFTER_SECONDS = 300.0
_PAUSE_SECONDS = 60.0
_KILL_SECONDS = 5.0
_LINE_BYTES = 1024 * 1024
_GPUS = TypeAdapter(tuple[ReportedGpu, ...])


class GpuInventory:
    """Reading it never waits for the driver.

    The list of GPUs is stored, so that an agent that starts again reports them before the driver has answered: the
    platform moves instances away from GPUs that are not reported. `seconds`: the interval of the use; a driver that is
    silent for six intervals is asked anew, and after `lost_after` seconds of silence its GPUs are no longer reported.
    """

    def __init__(
        self,
        stored: Path,
        *,
        seconds: float = _SECONDS,
        lost_after: float = _LOST_AFTER_SECONDS,
        pause_seconds: float = _PAUSE_SECONDS,
    ) -> None:
        self._stored = stored
        self._seconds = seconds
        self._lost_after = lost_after
        self._pause_seconds = pause_seconds
        self._gpus = _read(stored)
        self._answered = False
        self._heard_at = _now()
        self._task: asyncio.Task[None] | None = None
        self._hanging: asyncio.subprocess.Process | None = None

    @property
    def answered(self) -> bool:
        """Whether the driver has answered since the start, or there is none."""
        return self._answered

    @property
    def gpus(self) -> tuple[ReportedGpu, ...]:
        """The GPUs with their use. The use is None when the driver has not told it lately."""
        silent = _now() - self._heard_at
        if silent > self._lost_after:
            return ()
        if self._answered and silent <= self._seconds * _SILENT_LINES:
            return self._gpus
        return tuple(gpu.model_copy(update={"used_vram_mb": None, "usage_percent": None}) for gpu in self._gpus)

    def missing(self, gpu_ids: Sequence[str]) -> list[str]:
        known = {gpu.gpu_id for gpu in self.gpus}
        return [gpu_id for gpu_id in gpu_ids if gpu_id not in known]

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="gpu-inventory")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            try:
                await self._follow_probe()
            except OSError as error:
                log.warning("gpu_probe_failed", error=str(error))
            await asyncio.sleep(self._pause_seconds)

    async def _follow_probe(self) -> None:
        """Reads lines until the probe ends or falls silent. Starts no probe while an earlier one hangs."""
        if self._hanging is not None:
            await self._hanging.wait()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", probe.__file__, str(self._seconds)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            limit=_LINE_BYTES,
        )
        self._hanging = process
        try:
            while line := await self._line(process):
                self._hear(line)
        finally:
            if await _has_ended(process):
                self._hanging = None

    async def _line(self, process: asyncio.subprocess.Process) -> bytes:
        if process.stdout is None:
            return b""
        try:
            async with asyncio.timeout(self._seconds * _SILENT_LINES):
                return await process.stdout.readline()
        except TimeoutError:
            log.warning("gpu_driver_silent", seconds=self._seconds * _SILENT_LINES)
            return b""
        except ValueError:  # a line beyond the limit
            return b""

    def _hear(self, line: bytes) -> None:
        try:
            gpus = _GPUS.validate_json(line)
        except ValidationError:
            log.warning("gpu_probe_unreadable")
            return
        if not self._answered or _devices(gpus) != _devices(self._gpus):
            log.info("gpus_found", gpus=[gpu.gpu_id for gpu in gpus])
            self._store(gpus)
        self._gpus, self._answered, self._heard_at = gpus, True, _now()

    def _store(self, gpus: tuple[ReportedGpu, ...]) -> None:
        try:
            if gpus:
                write_private(self._stored, _GPUS.dump_json(gpus))
            else:
                self._stored.unlink(missing_ok=True)
        except OSError as error:
            log.warning("gpus_not_stored", error=str(error))


def _read(stored: Path) -> tuple[ReportedGpu, ...]:
    try:
        return _GPUS.validate_json(stored.read_bytes())
    except (OSError, ValidationError):
        return ()


def _devices(gpus: tuple[ReportedGpu, ...]) -> list[tuple[str, str, int]]:
    return [(gpu.gpu_id, gpu.model, gpu.vram_mb) for gpu in gpus]


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _has_ended(process: asyncio.subprocess.Process) -> bool:
    """Kill the probe, with its nvidia-smi, and wait for its end, but not forever: a hanging driver may delay it."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    try:
        async with asyncio.timeout(_KILL_SECONDS):
            await process.wait()
    except TimeoutError:
        log.warning("gpu_probe_hangs", pid=process.pid)
        return False
    return True
