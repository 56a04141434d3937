"""Warns about gates that enforce limits without each other."""

from typing import Final

import structlog

from mlpgateway.call.ports import GateDirectory, GateMembers
from mlplace_runtime.quotas import MemoryQuotas, SharedQuotas

log = structlog.get_logger(__name__)

_CONSEQUENCE: Final = (
    "each gate admits the whole of every limit of calls and money: set MLP_REDIS_URL, or run one gate only"
)


def warn_of_separate_limits(quotas: SharedQuotas, gates: GateDirectory) -> None:
    """Logs a warning when this gate first has peers while it keeps its limits in memory, and never again."""
    if isinstance(quotas, MemoryQuotas):
        gates.watch(_Warning().see)


class _Warning:
    def __init__(self) -> None:
        self._given = False

    def see(self, members: GateMembers) -> None:
        if len(members.active) > 1 and not self._given:
            self._given = True
            log.warning("limits_not_shared", gates=members.active, consequence=_CONSEQUENCE)
