"""What the stages between admission and answer know of one call."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from mlpgateway.call.call import Payload
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.large_json import LargeText
from mlpgateway.call.plan import Plan
from mlpgateway.call.transport import InstanceLink, InstanceRequest
from mlplace_gateproto import headers as names

_PRIORITY: Final = names.PRIORITY.lower()
_MOST_PRIORITY: Final = 2**31 - 1
_MOST_DIGITS: Final = 10


@dataclass(slots=True)
class CallContext:
    """`recheck` is called after a long wait, before anything is sent: what was true at admission may be so no more.

    `link` is the instance that the call was last sent to. `whole`: it asks and is answered in one piece.
    `waited_seconds` for an instance to start or to be free, or for a batch to fill.
    """

    plan: Plan
    request: InstanceRequest
    deadline: Deadline
    caller_account_id: int
    recheck: Callable[[], Awaitable[None]] | None = None
    link: InstanceLink | None = None
    whole: bool = False
    waited_for: str | None = None
    waited_seconds: float = 0.0

    @property
    def over_http(self) -> bool:
        return self.plan.http_only or self.request.http is not None

    @property
    def priority(self) -> int:
        return priority_of(self.request.headers)

    @property
    def size(self) -> int:
        """Bytes, near enough to bound memory by."""
        request = self.request
        return (
            size_of(request.data) + size_of(request.config) + sum(size_of(value) for value in request.params.values())
        )


def size_of(payload: Payload | None) -> int:
    if payload is None:
        return 0
    if type(payload) is LargeText:
        return len(payload.source.view)
    return len(payload.protobuf) if payload.protobuf is not None else len(payload.json or "")


def priority_of(headers: Mapping[str, str]) -> int:
    """0 for a text that is no whole number."""
    text = next((value for name, value in headers.items() if name.lower() == _PRIORITY), "").strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        return 0
    value = int(digits) if len(digits) <= _MOST_DIGITS else _MOST_PRIORITY
    return min(value, _MOST_PRIORITY) * (-1 if text.startswith("-") else 1)
