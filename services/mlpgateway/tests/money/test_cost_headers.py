"""The headers that tell a caller what the call cost."""

import pytest

from mlplace_kit.money import NANO
from mlplace_kit.pricing import BillingUnit

PRICE = NANO // 4


def told(answer) -> tuple[str | None, str | None]:
    return answer.headers.get("MLP-Units"), answer.headers.get("MLP-Cost")


class TestAnswer:
    async def test_answer_of_a_charged_call_tells_units_and_cost(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS.model_copy(update={"unit_price_nano": PRICE})))
        world.billing.money[kit.DEMO] = 10 * NANO
        world.instance()
        answer = await world.predict(world.key())
        assert (answer.status_code, told(answer)) == (200, ("1", "0.25"))
        (usage,) = await world.usage()
        assert (usage.units, usage.amount_nano) == (1, PRICE)

    async def test_free_units_are_subtracted(self, world, kit) -> None:
        billing = kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM, "unit_price_nano": PRICE})
        world.know(kit.model_changed(billing=billing.model_copy(update={"free_unit_quota": 3})))
        world.billing.money[kit.DEMO] = 1000 * NANO
        world.instance(kit.says("{}", z_CUSTOM_billing="5"))
        assert told(await world.predict(world.key())) == ("5", "0.5")
        assert told(await world.predict(world.key())) == ("5", "1.25")

    async def test_reported_price_has_no_units(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS.model_copy(update={"unit": BillingUnit.DIRECT})))
        world.billing.money[kit.DEMO] = 1000 * NANO
        world.instance(kit.says("{}", z_CUSTOM_billing="7"))
        answer = await world.predict(world.key())
        (usage,) = await world.usage()
        units, cost = told(answer)
        assert units is None
        assert float(cost or "nan") * NANO == pytest.approx(usage.amount_nano)

    async def test_free_call_costs_nothing(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        assert told(await world.predict(world.key(kit.ACME))) == ("1", "0")

    async def test_instance_cannot_set_the_headers(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance(kit.says("{}", MLP_Cost="99", MLP_Units="99"))
        assert told(await world.predict(world.key(kit.ACME))) == ("1", "0")


class TestNothingCharged:
    async def test_failed_call_tells_no_cost(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance(kit.fails(kit.Failing))
        answer = await world.predict(world.key())
        assert (answer.status_code, told(answer)) == (503, (None, None))

    async def test_kept_answer_tells_no_cost(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        headers = {**world.key(), "Idempotency-Key": "one"}
        first = await world.predict(headers)
        again = await world.predict(headers)
        assert (told(first), told(again)) == (("1", "0.00000001"), (None, None))
        assert len(await world.usage()) <= 1
