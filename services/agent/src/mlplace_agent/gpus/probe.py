"""Writes the GPUs of this machine to standard output: one line of JSON every few seconds.

A process of its own, because a driver may hang or crash. Runs as a file with the standard library alone; its argument
is the number of seconds between lines. Asks NVML, or the command nvidia-smi where the library does not answer. Ends
after one line on a machine without GPUs, and when its standard input is closed: the agent has ended.
"""

import csv
import ctypes
import json
import select
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TypedDict

_LIBRARY = "libnvidia-ml.so.1"
_TEXT_BYTES = 96
_NOT_FOUND = 6
_MIG_ENABLED = 1
_SMI_SECONDS = 20
_FIELDS = "uuid,name,memory.total,memory.used,utilization.gpu,mig.mode.current"
_MIB = 2**20


class Gpu(TypedDict):
    """Memory in MiB. The fields are those of ReportedGpu in the platform's contract."""

    gpu_id: str
    model: str
    vram_mb: int
    used_vram_mb: int | None
    usage_percent: int | None


class NvmlError(Exception):
    """`code`: the number that the library returned."""

    def __init__(self, function: str, code: int) -> None:
        self.code = code
        super().__init__(f"{function} returned {code}")


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


class _Utilization(ctypes.Structure):
    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


class Nvml:
    """The few functions of NVIDIA's management library that are needed. Raises OSError, NvmlError."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(_LIBRARY)
        self._call("nvmlInit_v2")

    def gpus(self) -> list[Gpu]:
        """Returns the GPUs that answer. A GPU that is split by MIG is replaced by its parts."""
        count = ctypes.c_uint()
        self._call("nvmlDeviceGetCount_v2", ctypes.byref(count))
        found: list[Gpu] = []
        for index in range(count.value):
            try:
                found += self._at(index)
            except NvmlError as error:  # one that has fallen off the bus does not hide the others
                _complain(f"GPU {index}: {error}")
        return found

    def _at(self, index: int) -> list[Gpu]:
        device = ctypes.c_void_p()
        self._call("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(index), ctypes.byref(device))
        if not self._is_split(device):
            return [self._gpu(device)]
        return [self._gpu(part) for part in self._parts(device)]

    def _is_split(self, device: ctypes.c_void_p) -> bool:
        current, pending = ctypes.c_uint(), ctypes.c_uint()
        try:
            self._call("nvmlDeviceGetMigMode", device, ctypes.byref(current), ctypes.byref(pending))
        except (NvmlError, AttributeError):  # the GPU or the library is older than MIG
            return False
        return current.value == _MIG_ENABLED

    def _parts(self, device: ctypes.c_void_p) -> Iterator[ctypes.c_void_p]:
        most = ctypes.c_uint()
        self._call("nvmlDeviceGetMaxMigDeviceCount", device, ctypes.byref(most))
        for index in range(most.value):
            part = ctypes.c_void_p()
            try:
                self._call("nvmlDeviceGetMigDeviceHandleByIndex", device, ctypes.c_uint(index), ctypes.byref(part))
            except NvmlError as error:
                if error.code != _NOT_FOUND:  # parts need not have consecutive numbers
                    raise
            else:
                yield part

    def _gpu(self, device: ctypes.c_void_p) -> Gpu:
        memory = _Memory()
        self._call("nvmlDeviceGetMemoryInfo", device, ctypes.byref(memory))
        return Gpu(
            gpu_id=self._text("nvmlDeviceGetUUID", device),
            model=self._text("nvmlDeviceGetName", device),
            vram_mb=memory.total // _MIB,
            used_vram_mb=memory.used // _MIB,
            usage_percent=self._usage(device),
        )

    def _usage(self, device: ctypes.c_void_p) -> int | None:
        rates = _Utilization()
        try:
            self._call("nvmlDeviceGetUtilizationRates", device, ctypes.byref(rates))
        except NvmlError:
            return None  # parts of a GPU do not report it
        return int(rates.gpu)

    def _text(self, function: str, device: ctypes.c_void_p) -> str:
        text = ctypes.create_string_buffer(_TEXT_BYTES)
        self._call(function, device, text, ctypes.c_uint(_TEXT_BYTES))
        return text.value.decode(errors="replace")

    def _call(self, function: str, *arguments: object) -> None:
        code = int(getattr(self._library, function)(*arguments))
        if code != 0:
            raise NvmlError(function, code)


def from_command(command: str) -> list[Gpu]:
    """Returns the GPUs that nvidia-smi lists; none if it fails. It cannot describe the parts of a split GPU."""
    query = [command, f"--query-gpu={_FIELDS}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(  # noqa: S603  the command of this machine, without anybody's text
            query, capture_output=True, text=True, timeout=_SMI_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        _complain(f"{command}: {error}")
        return []
    rows = csv.reader(done.stdout.splitlines(), skipinitialspace=True)
    read = [_from_row(row) for row in rows]
    return [gpu for gpu in read if gpu is not None]


def _from_row(row: list[str]) -> Gpu | None:
    if len(row) != len(_FIELDS.split(",")):
        return None
    gpu_id, model, total, used, usage, mig = (value.strip() for value in row)
    vram_mb = _number(total)
    if vram_mb is None or mig == "Enabled":
        return None
    return Gpu(gpu_id=gpu_id, model=model, vram_mb=vram_mb, used_vram_mb=_number(used), usage_percent=_number(usage))


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


def _complain(text: str) -> None:
    sys.stderr.write(text + "\n")


def _source() -> Callable[[], list[Gpu]] | None:
    try:
        return Nvml().gpus
    except (OSError, AttributeError, NvmlError) as error:
        _complain(f"NVML: {error}")
    command = shutil.which("nvidia-smi")
    return None if command is None else lambda: from_command(command)


def main() -> None:
    seconds = float(sys.argv[1])
    read = _source()
    while True:
        found = read() if read is not None else []
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
        if not found or select.select([sys.stdin], [], [], seconds)[0]:
            return


if __name__ == "__main__":
    main()
