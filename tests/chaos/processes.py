"""The processes of an installation in the process table."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from mlplace_contracts.environment import RUN_MARK
from mlplace_runtime.process_identity import works_in


@dataclass(frozen=True, slots=True)
class InstanceProcess:
    """`run` differs between two runs of the instance."""

    pid: int
    instance_id: int
    run: str


def instance_processes(folder: Path) -> list[InstanceProcess]:
    """All processes of instances whose working files are in the folder."""
    found: list[InstanceProcess] = []
    for process in psutil.process_iter():
        variables = _environment(process)
        if RUN_MARK in variables and folder in Path(variables.get("HOME", "/")).parents:
            found.append(InstanceProcess(process.pid, int(variables["MLP_INSTANCE_ID"]), variables[RUN_MARK]))
    return found


def processes_of(folder: Path) -> list[str]:
    """Describes every process that has to do with the folder: databases, agents, instances."""
    return [f"{process.pid} {_command(process)}" for process in _of_folder(folder)]


def kill_processes(folder: Path) -> None:
    for process in _of_folder(folder):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def _of_folder(folder: Path) -> Iterator[psutil.Process]:
    instances = {instance.pid for instance in instance_processes(folder)}
    for process in psutil.process_iter():
        is_server = works_in(process.pid, folder / "data" / "postgres")
        if process.pid in instances or is_server or str(folder) in _command(process):
            yield process


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _environment(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except (psutil.Error, OSError):
        return {}
