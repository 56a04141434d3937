"""The state of one call between admission and answer."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from mlpgateway.call.call import Payload
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.large_json import LargeText
from mlpgateway.call.plan import Plan
from mlpgateway.call.transport import InstanceLink, InstanceRequest
from mlplace_gateproto import headers as names
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken

_PRIORITY: Final = names.PRIORITY.lower()
_MOST_PRIORITY: Final = 2**31 - 1
_MOST_DIGITS: Final = 10
_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
LOWEST_PRIORITY: Final = -_MOST_PRIORITY


@dataclass(slots=True)
class CallContext:
    """The state of one call. `recheck` runs after a long wait, before the request is sent: access may have changed.

    `link` is the instance that the request was last sent to. `whole`: request and answer have one part each.
    `waited_for` names what the call waited for (an instance's start, a free slot, a batch), `waited_seconds` how long.
    `may_wait_for_start` is False once an instance failed with the call: then only a running instance can help.
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
    may_wait_for_start: bool = True

    @property
    def over_http(self) -> bool:
        return self.plan.http_only or self.request.http is not None

    @property
    def priority(self) -> int:
        return priority_of(self.request.headers)

    @property
    def size(self) -> int:
        """Approximate size of the request in bytes, to bound memory."""
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


def check_priorities(texts: Iterable[str]) -> None:
    """Raises ValidationFailed, which names the header, for a caller's priority that is no whole number. Empty: none."""
    if any(_WHOLE.fullmatch(text.strip()) is None for text in texts if text.strip()):
        raise ValidationFailed(
            {names.PRIORITY: broken("wrong_type", message="must be a whole number", expected="integer")}
        )


def priority_of(headers: Mapping[str, str]) -> int:
    """Returns the priority header as an integer within ±(2**31 - 1); 0 when it is missing or no integer."""
    text = next((value for name, value in headers.items() if name.lower() == _PRIORITY), "").strip()
    if _WHOLE.fullmatch(text) is None:
        return 0
    digits = text.lstrip("+-").lstrip("0") or "0"
    value = int(digits) if len(digits) <= _MOST_DIGITS else _MOST_PRIORITY
    return min(value, _MOST_PRIORITY) * (-1 if text.startswith("-") else 1)
