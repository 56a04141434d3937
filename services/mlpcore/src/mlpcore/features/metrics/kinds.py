"""What rows of samples are about, and what the figures of gauge rows mean. Numbers are stored: never change one.

CPU in thousandths of a core; memory, disk and GPU memory in MiB.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from mlpcore.features.metrics.tables import FIGURES


class CallKind(IntEnum):
    """MODEL: calls of a model. CALLER: calls of an account; `refused` ones exceeded its limit of calls per second."""

    MODEL = 1
    CALLER = 2


class GaugeKind(IntEnum):
    """Agents report INSTANCE and SERVER; mlpcore notes the others once a minute from its own tables."""

    INSTANCE = 1
    SERVER = 2
    MODEL_STATE = 3
    ACCOUNT_STATE = 4
    SERVER_STATE = 5
    NOTED = 6
    """One row without figures for each minute in which mlpcore noted states: what has no row then was zero."""


class UseFigure(IntEnum):
    """Figures of INSTANCE and SERVER, by position from 1. GPU: the sum of the percentages of the GPUs."""

    CPU = 1
    RAM = 2
    DISK = 3
    GPU_PERCENT = 4
    VRAM = 5
    RESTARTS = 6
    """The number in the period."""
    MOST_RAM = 7
    """The largest value in the period."""


OF_USE: Final[Mapping[int, str]] = {UseFigure.RESTARTS: "sum", UseFigure.MOST_RAM: "max"}
"""How figures of use of several periods become one, if not by the average: functions of SQL."""


class State(IntEnum):
    """Figures of MODEL_STATE and ACCOUNT_STATE: instances, and what they hold. `..._LIMIT`: of an account."""

    INSTANCES = 1
    CONNECTED = 2
    CPU = 3
    RAM = 4
    DISK = 5
    GPUS = 6
    CPU_LIMIT = 7
    RAM_LIMIT = 8
    DISK_LIMIT = 9
    GPU_LIMIT = 10


class ServerFigure(IntEnum):
    """Figures of SERVER_STATE: what the server has, and what instances hold."""

    CPU = 1
    RAM = 2
    DISK = 3
    GPUS = 4
    VRAM = 5
    HELD_CPU = 6
    HELD_RAM = 7
    HELD_DISK = 8
    GPU_INSTANCES = 9
    INSTANCES = 10


def figures(known: dict[int, float | None]) -> list[float | None]:
    """Returns the row of figures with these at their positions."""
    return [known.get(position) for position in range(1, FIGURES + 1)]
