"""Scenarios of calls that are refused before an instance hears of them."""

from datetime import UTC, datetime

from mlplace_kit.credentials import new_credential
from tests.settlement.answered import answers_with
from tests.settlement.case import DIRECT, Case, Path, answers
from tests.settlement.table import PRICE


async def _nobody_asked(case: Case) -> None:
    assert [instance.turns for instance in case.instances] == [[]]


async def no_key(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    await case.refused(401, "mlp.gate.unauthorized", Accept="*/*")
    await _nobody_asked(case)


async def dead_key(case: Case) -> None:
    await case.open(key={"active": False})
    await case.serve(answers)
    await case.refused(401, "mlp.gate.unauthorized")
    await _nobody_asked(case)


async def expired_key(case: Case) -> None:
    await case.open(key={"expires_at": datetime(2026, 1, 1, tzinfo=UTC)})
    await case.serve(answers)
    await case.refused(401, "mlp.gate.unauthorized")
    await _nobody_asked(case)


async def dead_billing_key(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    unknown = new_credential(account_id=case.payer, object_id=1).text
    await case.refused(401, "mlp.gate.unauthorized", MLP_API_KEY=case.key, MLP_BILLING_KEY=unknown)
    await _nobody_asked(case)


async def key_without_predict(case: Case) -> None:
    await case.open(key={"permissions": ("read", "write")})
    await case.serve(answers)
    await case.refused(403, "mlp.gate.access_denied")
    await _nobody_asked(case)


async def key_for_another_model(case: Case) -> None:
    await case.open(key={"allowed_models": (1,)})
    await case.serve(answers)
    await case.refused(403, "mlp.gate.access_denied")
    await _nobody_asked(case)


async def private_model(case: Case) -> None:
    await case.open(publicity={"is_public": False})
    await case.serve(answers)
    await case.refused(404, "mlp.gate.model_not_found")
    await _nobody_asked(case)


async def unknown_model(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    case.model += 1
    await case.refused(404, "mlp.gate.model_not_found")
    await _nobody_asked(case)


async def person_where_keys_only(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    await case.refused(403, "mlp.gate.testing_not_allowed", Cookie=case.session())
    await _nobody_asked(case)


async def prototype(case: Case) -> None:
    await case.open(model={"prototype": True})
    await case.serve(answers)
    await case.refused(400, "mlp.gate.prototype_not_callable")
    await _nobody_asked(case)


async def broken_body(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    await case.refused(400, "mlp.core.validation_error", Path("ext", {"surprise": 1}))
    await _nobody_asked(case)


async def rate(case: Case) -> None:
    await case.open(limits={"predict_per_sec": 0})
    await case.serve(answers)
    await case.refused(429, "mlp.gate.pps_limit_exceeded")
    await _nobody_asked(case)


async def no_money(case: Case) -> None:
    await case.open(money=PRICE - 1)
    await case.serve(answers)
    await case.refused(402, "mlp.billing.insufficient_funds")
    await _nobody_asked(case)


async def blocked_account(case: Case) -> None:
    """By what it owes to somebody else."""
    await case.open()
    await case.serve(answers)
    dear = Case(case.installation)
    await dear.open(money=0, billing=DIRECT)
    try:
        await dear.serve(answers_with(Z_custom_billing=str(10**9)))
        assert (await dear.call(MLP_API_KEY=case.key)).status_code == 200
        await case.settled()
    finally:
        await dear.close()
    await case.refused(403, "mlp.billing.account_blocked")
    await _nobody_asked(case)
