"""Scenarios of calls that are refused before they reach an instance."""

from datetime import UTC, datetime

from mlplace_contracts.limits import KeyLimits
from mlplace_kit.credentials import new_credential
from tests.settlement.case import Case
from tests.settlement.installation import BODY_BYTES
from tests.settlement.instance import Turn
from tests.settlement.key_limits import ONE_BYTE, ONE_CALL_A_DAY, spending
from tests.settlement.money import in_debt
from tests.settlement.paths import PREDICT, Path
from tests.settlement.scripts import answers, fails
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
    await case.refused(401, "mlp.gate.billing_key_not_valid", MLP_API_KEY=case.key, MLP_BILLING_KEY=unknown)
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


async def too_large_body(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    await case.refused(413, "mlp.gate.request_too_large", Path("predict", {"text": "x" * BODY_BYTES}))
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
    """The account is blocked because of a debt."""
    await case.open()
    await case.serve(answers)
    async with in_debt(case):
        await case.settled()
    await case.refused(403, "mlp.billing.account_blocked")
    await _nobody_asked(case)


async def price_above_the_callers(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    await case.refused(402, "mlp.gate.price_above_cap", MLP_API_KEY=case.key, MLP_Max_Price="0.000000999")
    await _nobody_asked(case)


async def price_above_the_keys(case: Case) -> None:
    await case.open(key={"max_price_nano": PRICE - 1})
    await case.serve(answers)
    await case.refused(402, "mlp.gate.price_above_cap")
    await _nobody_asked(case)


async def no_amount(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    await case.refused(400, "mlp.core.validation_error", MLP_API_KEY=case.key, MLP_Max_Price="much")
    await _nobody_asked(case)


# ---- By what is asked for


async def _refused_at(case: Case, status: int, code: str, path: Path = PREDICT, **headers: str) -> None:
    await case.open()
    await case.serve(answers)
    await case.refused(status, code, path, MLP_API_KEY=case.key, **headers)
    await _nobody_asked(case)


async def unknown_config(case: Case) -> None:
    await _refused_at(case, 404, "mlp.gate.config_not_found", Path("predict?configId=7", {"text": "hi"}))


async def no_http_interface(case: Case) -> None:
    await _refused_at(case, 404, "mlp.gate.http_not_offered", Path("http/predict", {"text": "hi"}))


async def compressed_body(case: Case) -> None:
    await _refused_at(case, 415, "mlp.core.content_encoding_not_supported", Content_Encoding="gzip")


# ---- By the caller's own key, or its account


async def key_used_up(case: Case) -> None:
    """A call that failed counts, too."""
    await case.open(key={"limits": ONE_CALL_A_DAY})
    instance = await case.serve(fails)
    await case.refused(400, "acme.broken")
    await case.refused(429, "mlp.gate.key_limit_exceeded")
    assert len(instance.turns) == 1


async def spending_limit_below_the_price(case: Case) -> None:
    await case.open(key={"limits": spending(PRICE - 1, daily=True)})
    await case.serve(answers)
    await case.refused(429, "mlp.gate.key_spending_limit_exceeded")
    await _nobody_asked(case)


async def request_above_the_keys_size(case: Case) -> None:
    await case.open(key={"limits": ONE_BYTE})
    await case.serve(answers)
    await case.refused(413, "mlp.gate.request_too_large")
    await _nobody_asked(case)


async def language_model_that_the_key_may_not_use(case: Case) -> None:
    await case.open(model={"task_type": "chat-completion"}, key={"limits": KeyLimits(llms=("small",))})
    await case.serve(answers)
    await case.refused(403, "mlp.gate.llm_not_allowed", Path("predict", {"model": "large"}))
    await _nobody_asked(case)


async def origin_that_the_key_does_not_list(case: Case) -> None:
    await case.open(key={"allowed_origins": ("https://a.example",)})
    await case.serve(answers)
    await case.refused(403, "mlp.gate.origin_not_allowed", MLP_API_KEY=case.key, Origin="https://b.example")
    await _nobody_asked(case)


async def address_outside_the_networks(case: Case) -> None:
    await case.open(limits={"allowed_networks": ("10.0.0.0/8",)})
    await case.serve(answers)
    await case.refused(403, "mlp.gate.access_denied_for_account_from_ip")
    await _nobody_asked(case)


# ---- By the key that pays for another account


async def _refused_with(case: Case, status: int, code: str, *, after: int = 0, **key: object) -> None:
    """A third account's call names the payer's limited key and is refused."""
    caller, paying = await case.another_key(case.payer + 100), await case.another_key(case.payer, **key)
    for _ in range(after):
        assert (await case.call(MLP_API_KEY=caller, MLP_BILLING_KEY=paying)).status_code == 200
    await case.refused(status, code, MLP_API_KEY=caller, MLP_BILLING_KEY=paying)


async def billing_key_for_another_model(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    await _refused_with(case, 403, "mlp.gate.access_denied", allowed_models=(1,))
    await _nobody_asked(case)


async def billing_key_used_up(case: Case) -> None:
    """After a call of a free model."""
    await case.open(billing={"enabled": False})
    await case.serve(answers)
    await _refused_with(case, 429, "mlp.gate.key_limit_exceeded", after=1, limits=ONE_CALL_A_DAY)
    case.payer += 200  # the table counts the payer's usages, of which there are none


async def billing_key_from_elsewhere(case: Case) -> None:
    await case.open(limits={"allowed_networks": ("10.0.0.0/8",)})
    await case.serve(answers)
    await _refused_with(case, 403, "mlp.gate.access_denied_for_account_from_ip")
    await _nobody_asked(case)


async def nested_call_of_a_limited_key(case: Case) -> None:
    """The key may pay only for the outer model, whose instance passes it on to another one."""
    await case.open()
    await case.serve(answers)
    outer, asked = Case(case.installation), []
    await outer.open(money=0, billing={"enabled": False})
    its_own = await case.another_key(outer.owner)
    paying = await case.another_key(case.payer, allowed_models=(outer.model,))

    async def asks(turn: Turn) -> None:
        inner = await case.call(MLP_API_KEY=its_own, MLP_BILLING_KEY=turn.headers["MLP-BILLING-KEY"])
        asked.append((inner.status_code, inner.json()["code"]))
        await turn.answer()

    try:
        await outer.serve(asks)
        assert (await outer.call(MLP_API_KEY=case.key, MLP_BILLING_KEY=paying)).status_code == 200
        assert asked == [(403, "mlp.gate.access_denied")]
        await case.settled()
        case.payer += 200  # the outer call is recorded and free
    finally:
        await outer.close()
    await _nobody_asked(case)
