"""What surrounds one call: trace id, headers in, headers out."""

import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal

from mlplace.errors import CallCancelledError
from mlplace_gateproto import headers


@dataclass(slots=True)
class Context:
    """The call being answered. A function gets it by declaring a parameter of this type.

    Headers set here go on the next answer message only: in a stream each part carries its own.
    """

    request_id: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    report_progress: Callable[[int], None] | None = None
    cancelled: bool = False
    """Nobody waits for the answer any more: its caller has left, or the gate is gone. A coroutine is cancelled then; a
    plain function that takes long asks here now and then."""
    _answer: dict[str, str] = field(default_factory=dict[str, str])
    _items: dict[int, dict[str, str]] = field(default_factory=dict[int, dict[str, str]])

    @property
    def billing_key(self) -> str | None:
        """The key that pays instead of the caller's, when there is one."""
        return self.headers.get(headers.BILLING_KEY)

    @property
    def max_price(self) -> Decimal | None:
        """What the answer may cost at most, in units of the currency: more is not paid. None: its price is known."""
        text = self.headers.get(headers.MAX_PRICE)
        return Decimal(text) if text else None

    @property
    def caller_account_id(self) -> int | None:
        text = self.headers.get(headers.CALLER_ACCOUNT_ID, "")
        return int(text) if text.isdecimal() else None

    def set_header(self, name: str, value: str) -> None:
        self._answer[name] = value

    def bill(self, units: int, details: Mapping[str, int] | None = None) -> None:
        """Charge this answer ``units`` (a service with custom billing); ``details`` are unit -> count, statistics."""
        self._answer[headers.CUSTOM_BILLING] = str(_not_negative(units))
        if details is not None:
            self._answer[headers.CUSTOM_BILLING_DETAILS] = json.dumps(dict(details))

    def bill_item(self, index: int, units: int) -> None:
        """Charge one item of a batch; ``index`` is its place in the list that predict_batch got."""
        self._items.setdefault(index, {})[headers.CUSTOM_BILLING] = str(_not_negative(units))

    def raise_if_cancelled(self) -> None:
        """Raises CallCancelledError."""
        if self.cancelled:
            raise CallCancelledError

    def progress(self, percentage: int) -> None:
        """Tell how far a fit is, 0 to 100; without effect in other calls."""
        if self.report_progress is not None:
            self.report_progress(max(0, min(100, percentage)))

    def take_answer_headers(self) -> dict[str, str]:
        """Headers for the message that leaves now; the next one starts without."""
        taken, self._answer = self._answer, {}
        return taken

    def item_headers(self, index: int) -> dict[str, str]:
        return self._items.get(index, {})


def _not_negative(units: int) -> int:
    if units < 0:
        raise ValueError("billed units cannot be negative")
    return units


_current: ContextVar[Context | None] = ContextVar("mlplace_context", default=None)


def current_context() -> Context | None:
    """The call that the running code answers, or None outside of one."""
    return _current.get()


def enter_context(context: Context) -> None:
    """Make ``context`` the current one for the running task and all that it starts."""
    _current.set(context)
