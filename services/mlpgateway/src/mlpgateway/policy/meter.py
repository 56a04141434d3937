"""The sixth stage: measures what the answer used, by the gate's count and the instance's report."""

import re
import time
import uuid
from collections.abc import Mapping
from datetime import datetime

import structlog

from mlpgateway.call.call import Call
from mlpgateway.call.identity import Identity, Payer
from mlpgateway.metrics import ABSURD_BILLING
from mlpgateway.policy.admit import is_charged
from mlpgateway.policy.money.ceiling import Ceiling
from mlplace_contracts.events import CappedBy, ModelChanged, UsageRecorded
from mlplace_gateproto import headers as names
from mlplace_kit.ids import new_usage_id
from mlplace_kit.money import MAX_NANO
from mlplace_kit.pricing import BillingUnit, Cost

log = structlog.get_logger(__name__)

_UNITS = re.compile(r"\d{1,18}", re.ASCII)
_CUSTOM_BILLING = names.CUSTOM_BILLING.lower()
_SERVER_TIME = names.SERVER_TIME.lower()
_MOST_MODEL_TIME_MS = 30 * 24 * 3600 * 1000


class Meter:
    """Measures one call. Delivery sets `instance_id`; `cached` is set when no instance was asked."""

    __slots__ = (
        "_ceiling",
        "_direct_unit_nano",
        "_model",
        "_most",
        "_server_ms",
        "_started",
        "_told",
        "cached",
        "capped_by",
        "instance_id",
    )

    def __init__(self, model: ModelChanged, *, direct_unit_nano: int, ceiling: Ceiling | None = None) -> None:
        """`ceiling` bounds the cost of a call whose price only its answer tells."""
        self._model = model
        self._ceiling = ceiling
        self._most: int | None = None
        self.capped_by: CappedBy | None = None
        if ceiling is not None:
            self.limit(ceiling.units(model.billing.price_nano), ceiling.by)
        self._direct_unit_nano = direct_unit_nano
        self._told = 0
        self._server_ms: int | None = None
        self._started = time.perf_counter()
        self.instance_id: int | None = None
        self.cached = False

    def read(self, headers: Mapping[str, str]) -> None:
        """Reads the headers of one answer. The units of a series of answers add up."""
        for name, value in headers.items():
            lower = name.lower()
            if lower == _CUSTOM_BILLING:
                self._told = min(self._told + self._believed(value), MAX_NANO)
            elif lower == _SERVER_TIME and _UNITS.fullmatch(value):
                self._server_ms = min(int(value), _MOST_MODEL_TIME_MS)

    def _believed(self, text: str) -> int:
        if _UNITS.fullmatch(text):
            return int(text)
        ABSURD_BILLING.inc()
        log.warning("absurd_billing_header", model_id=self._model.model_id, text=text[:64])
        return 0

    def limit(self, units: int, by: CappedBy) -> None:
        """Bounds the charged units, whatever the service reports."""
        if self._most is None or units < self._most:
            self._most, self.capped_by = units, by

    def service_seconds(self, *, waited: float) -> float:
        """Returns the time that the service reports, else the time since admission without the wait."""
        if self._server_ms is not None:
            return self._server_ms / 1000
        return max(0.0, time.perf_counter() - self._started - waited)

    @property
    def cost(self) -> Cost:
        """The charged cost, before free units. The unit price of a free model is 0."""
        reported = self.reported
        return reported if self._most is None else reported.within(self._most)

    def within_ceiling(self, units: int) -> Cost:
        price = self._model.billing.price_nano
        return Cost(units if self._ceiling is None else min(units, self._ceiling.units(price)), price)

    @property
    def reported(self) -> Cost:
        """The cost that the service reports, before free units."""
        match self._model.billing.unit:
            case BillingUnit.CALLS:
                units = 1
            case BillingUnit.CUSTOM:
                units = self._told
            case BillingUnit.DIRECT:
                units = min(self._told * self._direct_unit_nano, MAX_NANO)
        return Cost(units, self._model.billing.price_nano)

    @property
    def model(self) -> ModelChanged:
        return self._model

    @property
    def has_constant_usage(self) -> bool:
        """Whether the usage of each such call is the same, apart from ids, time, instance and reservation."""
        return self._model.billing.unit.known_before

    @property
    def tells_its_price(self) -> bool:
        return not self._model.billing.unit.known_before and not self.cached

    @property
    def is_capped(self) -> bool:
        return self._most is not None and self.reported.units > self._most

    @property
    def model_time_ms(self) -> int:
        """The time that the service reports, else the time since the meter was created."""
        if self._server_ms is not None:
            return self._server_ms
        return round((time.perf_counter() - self._started) * 1000)

    def usage(
        self, call: Call, identity: Identity, payer: Payer, *, reservation_id: uuid.UUID | None, now: datetime
    ) -> UsageRecorded:
        model, cost, reported = self._model, self.cost, self.reported
        charged, capped = is_charged(model, payer), self.is_capped
        return UsageRecorded(
            usage_id=new_usage_id(),
            occurred_at=now,
            request_id=call.request_id,
            operation=call.operation.value,
            caller_account_id=identity.account_id,
            payer_account_id=payer.account_id,
            payer_key_id=payer.key_id,
            model_account_id=model.account_id,
            model_id=model.model_id,
            model_name=model.model_name,
            instance_id=self.instance_id,
            billing_unit=model.billing.unit,
            units=cost.units,
            unit_price_nano=cost.unit_price_nano,
            amount_nano=cost.nano if charged else 0,
            currency=model.billing.currency,
            reservation_id=reservation_id,
            model_time_ms=self.model_time_ms,
            max_price_nano=None if self._ceiling is None else self._ceiling.nano,
            reported_units=reported.units if capped else None,
            reported_amount_nano=reported.nano if capped and charged else None,
            capped_by=self.capped_by if capped else None,
        )
