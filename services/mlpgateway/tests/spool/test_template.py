"""Usage records from templates are those of the events themselves."""

import random
import uuid
from datetime import UTC, datetime

import pytest

from mlpgateway.usage.frames import FrameOf, frame, frames_in
from mlpgateway.usage.template import UsageTemplate
from mlplace_contracts.events import UsageRecorded, decode, encode_event
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_runtime.bus.port import Record

NOW = datetime(2026, 11, 24, 9, 5, 7, 120034, tzinfo=UTC)


def usage(**about: object) -> UsageRecorded:
    values: dict[str, object] = {
        "usage_id": uuid.uuid4(), "occurred_at": NOW, "request_id": "r", "operation": "predict",
        "caller_account_id": 1, "payer_account_id": 2, "payer_key_id": 3, "model_account_id": 4, "model_id": 5,
        "model_name": "ner", "instance_id": 6, "billing_unit": BillingUnit.CALLS, "units": 1, "unit_price_nano": 7,
        "amount_nano": 7, "currency": Currency.RUBLE, "reservation_id": uuid.uuid4(), "model_time_ms": 8, **about,
    }  # fmt: skip
    return UsageRecorded(**values)  # type: ignore[arg-type]


VARIANTS = [
    {},
    {"payer_key_id": None, "instance_id": None, "reservation_id": None},
    {"model_name": 'модель "%s" %b 100%', "request_id": 'a"b\\c%d\u2028é'},
    {"occurred_at": NOW.replace(microsecond=0)},
    {"occurred_at": NOW.replace(microsecond=500000), "model_time_ms": 0, "instance_id": 2**63 - 1},
    {"max_price_nano": 12, "reported_units": 3, "reported_amount_nano": 21, "capped_by": "caller"},
]


class TestUsageTemplate:
    @pytest.mark.parametrize("about", VARIANTS)
    @pytest.mark.parametrize("trace", [None, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"])
    def test_record_is_that_of_the_event(self, about: dict[str, object], trace: str | None) -> None:
        event = usage(**about)
        found = UsageTemplate(event).record(
            request_id=event.request_id,
            now=event.occurred_at,
            trace_parent=trace,
            instance_id=event.instance_id,
            reservation_id=event.reservation_id,
            model_time_ms=event.model_time_ms,
        )
        (record,) = frames_in(found, most=2).records
        assert (record.topic, record.key) == (event.topic.name, event.key)
        envelope, read = decode(record.value)
        assert read is not None
        assert isinstance(read, UsageRecorded)
        assert read.model_copy(update={"usage_id": event.usage_id}) == event
        same = event.model_copy(update={"usage_id": read.usage_id})
        encoded = encode_event(
            same, event_id=envelope.event_id, occurred_at=event.occurred_at, trace_parent=envelope.trace_parent
        )
        if event.request_id.isascii():
            assert record.value == encoded

    def test_each_record_has_ids_of_its_own(self) -> None:
        template = UsageTemplate(usage())
        values = [decode(frames_in(self._record(template), most=1).records[0].value) for _ in range(50)]
        assert len({envelope.event_id for envelope, _ in values}) == 50
        assert len({event.usage_id for _, event in values if isinstance(event, UsageRecorded)}) == 50
        assert {envelope.event_id.version for envelope, _ in values} == {7}
        assert {event.usage_id.version for _, event in values if isinstance(event, UsageRecorded)} == {4}

    @staticmethod
    def _record(template: UsageTemplate) -> bytes:
        return template.record(
            request_id="r", now=NOW, trace_parent=None, instance_id=1, reservation_id=None, model_time_ms=1
        )


class TestFrameOf:
    def test_frames_are_those_of_records(self) -> None:
        for size in (0, 1, 700, 70_000):
            value = random.randbytes(size)
            assert FrameOf("usage", "1000000002").around(value) == frame(Record("usage", "1000000002", value))
