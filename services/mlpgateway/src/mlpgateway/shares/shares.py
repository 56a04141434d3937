"""Shares of what calls use besides a slot and memory."""

from dataclasses import dataclass
from typing import Self

from mlpgateway.errors.limits import TooManySockets
from mlpgateway.shares.share import Fractions, Share
from mlplace_kit.errors import DomainError


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares of one gate.

    `owners` counts calls in progress by the account of the model, so that instances that never answer only use up
    their owner's share, whoever calls them. `streams` counts streamed answers and `sockets` WebSockets by caller.
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
