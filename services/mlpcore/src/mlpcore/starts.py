"""What is known of a start that is under way."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class StartPhase(StrEnum):
    """How far a start is, in this order.

    WAITING_FOR_SERVER: no server takes the instance now. SCHEDULING: none was looked for yet. PREPARING: it has a
    server, which gets the image and makes ready what the instance needs. CONNECTING: its program runs, and no gate is
    connected to it yet.
    """

    WAITING_FOR_SERVER = "WAITING_FOR_SERVER"
    SCHEDULING = "SCHEDULING"
    PREPARING = "PREPARING"
    CONNECTING = "CONNECTING"


@dataclass(frozen=True, slots=True)
class Start:
    """`since`: when the start was requested, in whichever phase it is now."""

    phase: StartPhase
    since: datetime
