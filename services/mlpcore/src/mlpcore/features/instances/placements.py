"""Where an instance is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Nowhere: it waits for the scheduler to choose a server."""


@dataclass(frozen=True, slots=True)
class OnServer:
    server_id: int


@dataclass(frozen=True, slots=True)
class External:
    """Where its owner runs it. The platform neither starts nor ends it there."""


Placement = Unplaced | OnServer | External
