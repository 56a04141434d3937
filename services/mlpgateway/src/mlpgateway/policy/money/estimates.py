"""Estimates the cost of a model's next call when only the answer tells its price."""

from collections import OrderedDict, deque
from typing import Final

from mlplace_contracts.events import ModelBilling
from mlplace_kit.pricing import Cost

_REMEMBERED: Final = 32
_FEWEST: Final = 20
"""The number of answers from which on the median counts as the model's typical cost."""
_MOST_MODELS: Final = 10_000


class _Answers:
    """The last answers of one model. `high` skips the highest tenth, at least one: no single answer determines it."""

    __slots__ = ("_last", "high", "middle")

    def __init__(self) -> None:
        self._last: deque[int] = deque(maxlen=_REMEMBERED)
        self.high: int | None = None
        self.middle: int | None = None

    def add(self, units: int) -> None:
        self._last.append(units)
        count = len(self._last)
        ranked = sorted(self._last)
        if count > 1:
            self.high = ranked[count - 1 - max(1, count // 10)]
        if count >= _FEWEST:
            self.middle = ranked[count // 2]


class Estimates:
    """Estimates for recently called models. Before the answer the estimate is reserved, not the highest price."""

    def __init__(self, *, first_cost_nano: int) -> None:
        self._first_cost_nano = first_cost_nano
        self._answers: OrderedDict[int, _Answers] = OrderedDict()

    def of(self, model_id: int, billing: ModelBilling, *, most_units: int | None = None) -> Cost:
        """Returns the estimated cost of one call: at least one unit, at most `most_units`."""
        price = billing.unit.price(billing.unit_price_nano)
        if billing.unit.known_before:
            return Cost(1, price)
        known = self._answers.get(model_id)
        units = known.high if known is not None else None
        if units is None:
            units = self._first_cost_nano // max(1, price)
        if most_units is not None:
            units = min(units, most_units)
        return Cost(max(1, units), price)

    def typical(self, model_id: int, billing: ModelBilling) -> Cost | None:
        """Returns the median cost of the last answers. None while too few answers are known."""
        known = self._answers.get(model_id)
        if known is None or known.middle is None:
            return None
        return Cost(known.middle, billing.unit.price(billing.unit_price_nano))

    def learn(self, model_id: int, units: int) -> None:
        """Records the units that an answer reported."""
        known = self._answers.get(model_id)
        if known is None:
            if len(self._answers) >= _MOST_MODELS:
                self._answers.popitem(last=False)
            known = self._answers[model_id] = _Answers()
        self._answers.move_to_end(model_id)
        known.add(units)
