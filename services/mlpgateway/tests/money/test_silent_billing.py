"""mlpbilling does not answer while calls wait for money."""

import asyncio

import pytest

from mlpgateway.policy.money.balance_lease import BalanceLeaseKey
from mlpgateway.policy.money.leases import Leases, Terms
from mlplace_kit.clock import ManualClock
from mlplace_kit.errors import Unavailable
from mlplace_kit.money import Currency
from mlplace_kit.pricing import Cost

KEY = BalanceLeaseKey(payer_account_id=1, model_account_id=2, model_id=3, currency=Currency.RUBLE)


class SilentBilling:
    """`asked` counts reservations; none is answered before `gives_up` is set."""

    def __init__(self) -> None:
        self.asked = 0
        self.gives_up = asyncio.Event()

    async def reserve(self, _request: object) -> object:
        self.asked += 1
        await self.gives_up.wait()
        raise Unavailable(service="mlpbilling")

    async def release(self, _reservation: object, _account: object) -> object:
        raise AssertionError("nothing was reserved")


async def test_calls_that_wait_for_one_request_share_its_failure(clock: ManualClock) -> None:
    """Otherwise each of them would ask for as long again, one after the other."""
    billing = SilentBilling()
    leases = Leases(billing, clock, Terms("gate", 10**12))  # type: ignore[arg-type]  # as much of it as is used
    calls = [asyncio.create_task(leases.hold(KEY, Cost(10, 1), free_quota=0)) for _ in range(5)]
    for _ in range(50):  # until each of them waits
        await asyncio.sleep(0)
    billing.gives_up.set()
    for call in calls:
        with pytest.raises(Unavailable):
            await call
    assert billing.asked == 1
    with pytest.raises(Unavailable):
        await leases.hold(KEY, Cost(10, 1), free_quota=0)
    assert billing.asked == 2, "who comes later asks anew"
