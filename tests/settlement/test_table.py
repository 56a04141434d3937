"""Runs each row of the table with the gateway, the bus and mlpbilling as processes that can be killed."""

from collections.abc import AsyncGenerator

import pytest

from tests.settlement.case import Case
from tests.settlement.installation import Installation
from tests.settlement.scenarios import SCENARIOS
from tests.settlement.table import ROWS, Figures

pytestmark = pytest.mark.timeout(300)

CASES = [pytest.param(name, figures, id=name) for row in ROWS for name, figures in row.cases.items()]


@pytest.fixture(scope="module")
async def done(installation: Installation) -> AsyncGenerator[list[Figures]]:
    """Takes the figures of each case that is done. At the end the books of all of them must be sound.

    No test of its own: several workers may share the cases, and each has an installation.
    """
    cases: list[Figures] = []
    yield cases
    found = await installation.ask_billing("GET", "ledger/verification")
    assert found["sound"], found
    usages = await installation.billing_books.fetchval("SELECT count(*) FROM usage")
    assert usages >= sum(figures.usages for figures in cases)
    assert await installation.billing_books.fetchval("SELECT count(*) FROM dead_letter") == 0


@pytest.mark.parametrize(("name", "figures"), CASES)
async def test_moves_what_the_table_says(done: list[Figures], case: Case, name: str, figures: Figures) -> None:
    await SCENARIOS[name](case)
    await case.settled()
    assert await case.figures() == figures
    done.append(figures)
