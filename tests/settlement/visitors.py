"""Scenarios of visitors, who call without a key or session. The payer is the owner, whom own models cost nothing."""

import asyncio

from mlplace_gateproto import codes
from mlplace_testing.waiting import eventually
from tests.settlement.callers import calling
from tests.settlement.case import MONEY, Case
from tests.settlement.installation import PATIENCE
from tests.settlement.instance import Instance, Script, Turn
from tests.settlement.money import in_debt
from tests.settlement.paths import Path
from tests.settlement.scripts import answers, fails, hangs, says_half
from tests.settlement.ways import over_http

_TRY = over_http("tryWithoutSigningIn")
_NO_CREDENTIAL = {"Accept": "*/*"}
_MORE_THAN_A_VISITOR_MAY_SEND = 16 * 1024
"""Bytes: the platform's default."""


async def _open(case: Case, *, calls_per_day: int = 1000) -> None:
    await case.open(model={"visitor_calls_per_day": calls_per_day}, publicity={"public_testing_allowed": True})
    case.payer = case.owner


async def _serve(case: Case, script: Script, *, calls_per_day: int = 1000) -> Instance:
    await _open(case, calls_per_day=calls_per_day)
    return await case.serve(script)


async def _answered(case: Case) -> None:
    answer = await case.call(_TRY, **_NO_CREDENTIAL)
    assert answer.status_code == 200, answer.text


async def visitor(case: Case) -> None:
    await _serve(case, answers)
    await _answered(case)


async def visitor_with_the_key_of_an_account(case: Case) -> None:
    """The key does not count: its account pays nothing."""
    await _serve(case, answers)
    assert (await case.call(_TRY, MLP_API_KEY=case.key)).status_code == 200
    await case.settled()
    query = "SELECT count(*) FROM usage WHERE payer_account_id <> $1 AND model_id = $2"
    assert await case.installation.billing_books.fetchval(query, case.owner, case.model) == 0


async def visitor_above_the_models_limit(case: Case) -> None:
    """The second call is refused, and is not recorded."""
    instance = await _serve(case, answers, calls_per_day=1)
    await _answered(case)
    await case.refused(429, "mlp.gate.visitor_limit_exceeded", _TRY, **_NO_CREDENTIAL)
    assert len(instance.turns) == 1


async def nested_call_of_a_visitor(case: Case) -> None:
    """The instance that a visitor called calls the model of the case with a key of its own account."""
    await case.open()
    await case.serve(answers)
    outer, asked = Case(case.installation), []

    async def asks(turn: Turn) -> None:
        inner = await case.call(MLP_API_KEY=its_own)
        asked.append((inner.status_code, "MLP-BILLING-KEY" in turn.headers))
        await turn.answer()

    try:
        await _serve(outer, asks)
        its_own = await case.another_key(outer.owner)
        await case.installation.refill(outer.owner, MONEY)
        await _answered(outer)
        assert asked == [(200, False)]
        case.payer = outer.owner
    finally:
        await outer.close()


async def visitor_of_a_closed_model(case: Case) -> None:
    instance = await _serve(case, answers, calls_per_day=0)
    await case.refused(401, "mlp.gate.unauthorized", _TRY, **_NO_CREDENTIAL)
    assert instance.turns == []


async def visitor_of_a_blocked_owner(case: Case) -> None:
    """The owner is blocked because of a debt, and its own key is refused as soon as the gate knows it. Until then no
    instance runs, so that nothing is answered and recorded.
    """
    await _open(case)
    case.key = await case.another_key(case.owner)
    await case.installation.refill(case.owner, MONEY)
    async with in_debt(case):
        await eventually(case.call, until=lambda answer: answer.status_code == 403, seconds=PATIENCE)
    instance = await case.serve(answers)
    await case.refused(401, "mlp.gate.unauthorized", _TRY, **_NO_CREDENTIAL)
    assert instance.turns == []


async def too_large_body_of_a_visitor(case: Case) -> None:
    instance = await _serve(case, answers)
    large = Path(_TRY.name, {"text": "x" * _MORE_THAN_A_VISITOR_MAY_SEND})
    await case.refused(413, "mlp.gate.request_too_large", large, **_NO_CREDENTIAL)
    assert instance.turns == []


async def error_for_a_visitor(case: Case) -> None:
    await _serve(case, fails)
    await case.refused(400, "acme.broken", _TRY, **_NO_CREDENTIAL)


async def half_an_answer_for_a_visitor(case: Case) -> None:
    await _serve(case, says_half)
    await case.refused(502, codes.INTERNAL_ERROR, _TRY, **_NO_CREDENTIAL)


async def visitor_gone(case: Case) -> None:
    instance = await _serve(case, hangs)
    async with calling(case, _TRY) as caller:
        await asyncio.wait_for(instance.asked.wait(), PATIENCE)
        caller.hang_up()
        await case.installation.no_call_in_progress()
