"""The context of one call: trace id, request headers, response headers."""

import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal

from mlplace.errors import CallCancelledError
from mlplace_gateproto import headers


@dataclass(slots=True)
class Context:
    """The call being answered. A function receives it by declaring a parameter of this type.

    Headers set here go with the next answer message only: in a stream each part has its own.
    """

    request_id: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    report_progress: Callable[[int], None] | None = None
    cancelled: bool = False
    """Whether nobody waits for the answer any more: the caller has left, or the gate is gone.

    A coroutine is cancelled then; a plain function that takes long should check this regularly.
    """
    _answer: dict[str, str] = field(default_factory=dict[str, str])
    _items: dict[int, dict[str, str]] = field(default_factory=dict[int, dict[str, str]])

    @property
    def billing_key(self) -> str | None:
        """The key that pays instead of the caller's, if there is one."""
        return self.headers.get(headers.BILLING_KEY)

    @property
    def max_price(self) -> Decimal | None:
        """The most that the answer may cost, in units of the currency. None if the price is known before."""
        text = self.headers.get(headers.MAX_PRICE)
        return Decimal(text) if text else None

    @property
    def caller_account_id(self) -> int | None:
        text = self.headers.get(headers.CALLER_ACCOUNT_ID, "")
        return int(text) if text.isdecimal() else None

    def set_header(self, name: str, value: str) -> None:
        self._answer[name] = value

    def bill(self, units: int, details: Mapping[str, int] | None = None) -> None:
        """Charges this answer ``units``, for a service with custom billing; ``details`` are counts per unit, for
        statistics.
        """
        self._answer[headers.CUSTOM_BILLING] = str(_not_negative(units))
        if details is not None:
            self._answer[headers.CUSTOM_BILLING_DETAILS] = json.dumps(dict(details))

    def bill_item(self, index: int, units: int) -> None:
        """Charges one item of a batch; ``index`` is its position in the list that predict_batch got."""
        self._items.setdefault(index, {})[headers.CUSTOM_BILLING] = str(_not_negative(units))

    def raise_if_cancelled(self) -> None:
        """Raises CallCancelledError."""
        if self.cancelled:
            raise CallCancelledError

    def progress(self, percentage: int) -> None:
        """Reports the progress of a fit, 0 to 100; without effect in other calls."""
        if self.report_progress is not None:
            self.report_progress(max(0, min(100, percentage)))

    def take_answer_headers(self) -> dict[str, str]:
        """Returns the headers for the message being sent, and clears them for the next one."""
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
    """Returns the call that the running code answers, or None outside of one."""
    return _current.get()


def enter_context(context: Context) -> None:
    """Makes ``context`` the current one for the running task and all that it starts."""
    _current.set(context)
