"""The origin of a request, for security events and session lists."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from mlplace_kit.networks import subscriber_of

_USER_AGENT_LENGTH = 256


@dataclass(frozen=True, slots=True)
class Origin:
    """`address` is the peer's IP address as the server saw it; `host` is the Host header as sent."""

    address: str
    user_agent: str
    host: str

    @property
    def network(self) -> str:
        """The subscriber network of the address, by which limits count."""
        return subscriber_of(self.address)


PLATFORM = Origin(address="", user_agent="", host="")
"""The platform itself, without browser and address."""


def origin_of(request: Request) -> Origin:
    return Origin(
        address=request.client.host if request.client else "",
        user_agent=request.headers.get("user-agent", "")[:_USER_AGENT_LENGTH],
        host=request.headers.get("host", ""),
    )


OriginDep = Annotated[Origin, Depends(origin_of)]
