"""What calls take of a gate beside their place and their memory, and how much of it one account may have."""

from dataclasses import dataclass
from typing import Self

from mlpgateway.errors.limits import TooManySockets
from mlpgateway.shares.share import Fractions, Share
from mlplace_kit.errors import DomainError


@dataclass(frozen=True, slots=True)
class Shares:
    """Of one gate.

    `owners` are the calls in progress by the account of the model: instances that never answer keep the places of their
    own owner, whoever calls them. `streams` are answers in parts, `sockets` WebSockets, both of callers.
    """

    owners: Share
    streams: Share
    sockets: Share

    @classmethod
    def of(
        cls, *, calls: int, streams: int, sockets: int, fractions: Fractions | None = None, owner: float = 0.5
    ) -> Self:
        return cls(
            owners=Share("calls", calls, Fractions(account=owner), kind="owner"),
            streams=Share("streams", streams, fractions),
            sockets=Share("sockets", sockets, fractions, refusal=_too_many_sockets),
        )


def _too_many_sockets(limit: int) -> DomainError:
    return TooManySockets(limit=str(limit))
