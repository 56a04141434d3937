"""Platform, agents and instances are killed in random order under orders and calls; then everything settles by itself."""

import random
import time
from collections.abc import Callable

import pytest

from tests.acceptance.waiting import eventually
from tests.chaos.conftest import ReportFigure
from tests.chaos.faults import RandomFaults
from tests.chaos.installation import Installation
from tests.chaos.orders import MODELS, Orders
from tests.chaos.processes import processes_of
from tests.chaos.records import Records
from tests.resilience.billing_records import BillingRecords
from tests.resilience.load import Load

_SETTLED_SECONDS = 60
_WELL_IN_A_ROW = 20


@pytest.mark.e2e
@pytest.mark.timeout(600)
class TestChaos:
    def test_everything_settles_without_an_operator(
        self, seed: int, rounds: int, installation: Installation, report_figure: ReportFigure
    ) -> None:
        began = time.monotonic()
        platform = installation.first_start()
        billing = BillingRecords(platform, installation)
        before = billing.standing()
        with Orders(platform) as orders:
            records = Records(installation, orders)
            faults = RandomFaults(installation, orders, random.Random(seed))
            for model in MODELS:
                assert orders.request(model, 1)
            with Load(platform.url, platform.api_key) as load:
                load.wait_for_answers(_WELL_IN_A_ROW, seconds=_SETTLED_SECONDS)
                report_figure(f"seed {seed}: up after {time.monotonic() - began:.0f} s")
                faults.run(rounds)
                chaos = time.monotonic() - began
                _settle_orders(installation, orders)
                history = "; ".join(faults.history)
                report_figure(f"until {chaos:.0f} s: {history}")
                _none(records.unsettled, history)
                settled = time.monotonic() - began
                load.wait_for_answers(_WELL_IN_A_ROW, seconds=_SETTLED_SECONDS)
            for model in MODELS:
                answers = [orders.answer(model) for _ in range(2 * orders.requested(model))]
                assert [answer.text for answer in answers if not answer.is_success] == []
            _none(records.unpaid, history)
            billing.check(before, load.prefix, load.outcomes)
            report_figure(f"settled after {settled:.0f} s")
            for model in MODELS:
                assert orders.request(model, 0)
            _none(records.occupied, history)
        assert installation.agent.stop() == 0
        assert installation.platform.stop() == 0
        assert processes_of(installation.folder) == []
        report_figure(f"over after {time.monotonic() - began:.0f} s")


def _settle_orders(installation: Installation, orders: Orders) -> None:
    """The last orders: limits that hold nothing up, and an instance of each model that has none."""
    installation.wait_until_up()
    assert orders.limit()
    for model in MODELS:
        if not orders.requested(model):
            assert orders.request(model, 1)


def _none(wrong: Callable[[], list[str]], history: str) -> None:
    """Waits until nothing is wrong."""
    try:
        eventually(wrong, until=lambda listed: not listed, seconds=_SETTLED_SECONDS)
    except TimeoutError as error:
        pytest.fail(f"{error}\nafter: {history}")
