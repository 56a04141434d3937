"""Scenarios in which another account pays, or in which the payer has too little money."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tests.settlement.case import DIRECT, MONEY, Case
from tests.settlement.instance import Turn
from tests.settlement.scripts import answers, answers_with


async def billing_key(case: Case) -> None:
    """A third account calls and names the payer."""
    await case.open()
    await case.serve(answers)
    caller = case.payer + 100
    key = await case.another_key(caller)
    answer = await case.call(MLP_API_KEY=key, MLP_BILLING_KEY=case.key)
    assert answer.status_code == 200, answer.text
    await case.settled()
    assert await case.spent(caller) == 0


async def nested_call(case: Case) -> None:
    """The payer calls a free model, whose instance passes the billing key to a priced model."""
    await case.open()
    await case.serve(answers)
    outer, asked = Case(case.installation), []
    await outer.open(money=0, billing={"enabled": False})
    its_own = await case.another_key(outer.owner)

    async def asks(turn: Turn) -> None:
        inner = await case.call(MLP_API_KEY=its_own, MLP_BILLING_KEY=turn.headers["MLP-BILLING-KEY"])
        asked.append(inner.status_code)
        await turn.answer()

    try:
        await outer.serve(asks)
        answer = await outer.call(MLP_API_KEY=case.key, MLP_BILLING_KEY=case.key)
        assert (answer.status_code, asked) == (200, [200])
        await case.settled()
        assert await case.spent(outer.owner) == 0
    finally:
        await outer.close()


async def debt(case: Case) -> None:
    """mlpbilling dies while the model works, so the payer's balance is unknown."""
    await _debt(case, blocked=True)


async def debt_of_a_payer_with_credit(case: Case) -> None:
    await _debt(case, blocked=False)


async def _debt(case: Case, *, blocked: bool) -> None:
    await case.open(money=1000, billing=DIRECT)
    if blocked:
        await answered_without_billing(case, "2500")
    else:
        await case.give_credit()
        await case.serve(answers_with(Z_custom_billing="2500"))
        assert (await case.call()).status_code == 200
    await case.settled()
    standing = "SELECT main_nano, income_nano, owed_nano FROM balance WHERE account_id = $1"
    billing_records = case.installation.billing_books
    assert tuple(await billing_records.fetchrow(standing, case.payer) or ()) == (-1500, 0, 1500)
    assert tuple(await billing_records.fetchrow(standing, case.owner) or ()) == (0, 900, 0)
    told = await billing_records.fetchval("SELECT blocked FROM billing_account WHERE account_id = $1", case.payer)
    assert told is blocked
    if blocked:
        await case.refused(403, "mlp.billing.account_blocked")
    await case.installation.refill(case.payer, 700)
    assert tuple(await billing_records.fetchrow(standing, case.owner) or ()) == (0, 1530, 0)
    await case.installation.refill(case.payer, 900)
    assert tuple(await billing_records.fetchrow(standing, case.payer) or ()) == (100, 0, 0)


async def answered_without_billing(case: Case, reported: str) -> None:
    async def script(turn: Turn) -> None:
        case.installation.billing.kill()
        await turn.answer(Z_custom_billing=reported)

    await case.serve(script)
    answer = await case.call()
    assert (answer.status_code, "MLP-Cost" in answer.headers) == (200, False), "what is charged is not known yet"
    await case.installation.billing.start()


@asynccontextmanager
async def in_debt(case: Case) -> AsyncGenerator[None]:
    """The payer of the case calls another model, which costs twice the payer's money while the balance is unknown."""
    dear = Case(case.installation)
    await dear.open(money=0, billing=DIRECT)
    theirs, dear.key = dear.key, case.key
    try:
        await answered_without_billing(dear, str(2 * MONEY))
        dear.key = theirs
        yield
    finally:
        await dear.close()
