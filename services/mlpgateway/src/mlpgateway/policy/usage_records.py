"""Records of usage, from templates where the price is known before the call."""

import uuid
from datetime import datetime
from typing import Final

from mlpgateway.call.call import Call
from mlpgateway.call.identity import Identity, Payer
from mlpgateway.policy.meter import Meter
from mlpgateway.usage.template import UsageTemplate
from mlplace_contracts.events import ModelChanged

_MOST_REMEMBERED: Final = 10_000
_Key = tuple[int, int, int, int | None, str]


class UsageRecords:
    """The templates of the callers and models of recent calls. A newer version of a model gets another template."""

    def __init__(self) -> None:
        self._templates: dict[_Key, tuple[ModelChanged, UsageTemplate]] = {}

    def template(self, meter: Meter, call: Call, identity: Identity, payer: Payer, now: datetime) -> UsageTemplate:
        """Returns the template for calls with the same caller, payer, model and operation.

        Their usage differs only in what the template leaves open: one call is one unit at a price known before.
        """
        model = meter.model
        key = (model.model_id, identity.account_id, payer.account_id, payer.key_id, call.operation.value)
        known = self._templates.get(key)
        if known is None or known[0] is not model:
            if len(self._templates) >= _MOST_REMEMBERED:
                self._templates.clear()
            usage = meter.usage(call, identity, payer, reservation_id=None, now=now)
            known = self._templates[key] = (model, UsageTemplate(usage))
        return known[1]

    def record(
        self,
        meter: Meter,
        call: Call,
        identity: Identity,
        payer: Payer,
        *,
        reservation_id: uuid.UUID | None,
        now: datetime,
        trace_parent: str | None,
    ) -> bytes:
        """Returns a frame of the spool with the usage of the call. Only for a meter whose template is constant."""
        return self.template(meter, call, identity, payer, now).record(
            request_id=call.request_id,
            now=now,
            trace_parent=trace_parent,
            instance_id=meter.instance_id,
            reservation_id=reservation_id,
            model_time_ms=meter.model_time_ms,
        )
