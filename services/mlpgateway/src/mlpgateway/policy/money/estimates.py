"""What the next call of a model will plausibly cost, where only the answer tells its price."""

from collections import OrderedDict, deque
from typing import Final

from mlplace_contracts.events import ModelBilling
from mlplace_kit.pricing import Cost

_REMEMBERED: Final = 32
_FEWEST: Final = 20
"""Answers after which it is known what calls of a model typically cost."""
_MOST_MODELS: Final = 10_000


class _Answers:
    """The last answers of one model. `high` leaves out a tenth of them, and at least one: no single answer sets it."""

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
    """Of models that were called of late. Before the answer this is held of a payer's money, not the most possible."""

    def __init__(self, *, first_cost_nano: int) -> None:
        self._first_cost_nano = first_cost_nano
        self._answers: OrderedDict[int, _Answers] = OrderedDict()

    def of(self, model_id: int, billing: ModelBilling, *, most_units: int | None = None) -> Cost:
        """At least one unit, and `most_units` at most."""
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
        """What half of the last answers cost at least. None while too few are known."""
        known = self._answers.get(model_id)
        if known is None or known.middle is None:
            return None
        return Cost(known.middle, billing.unit.price(billing.unit_price_nano))

    def learn(self, model_id: int, units: int) -> None:
        """Called with each answer of such a model: what it reported, within what the model may cost."""
        known = self._answers.get(model_id)
        if known is None:
            if len(self._answers) >= _MOST_MODELS:
                self._answers.popitem(last=False)
            known = self._answers[model_id] = _Answers()
        self._answers.move_to_end(model_id)
        known.add(units)
