from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Form, Header, Path, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from mlpbilling.features.sandbox.cards import answer_to
from mlpbilling.features.sandbox.dependencies import SandboxDep
from mlpbilling.features.sandbox.page import headers_of, language_of, payment_page
from mlpbilling.features.sandbox.provider import PAGES
from mlpbilling.payment_provider import Outcome
from mlplace_runtime.web.policy import Public

router = APIRouter(prefix=PAGES, include_in_schema=False, dependencies=[Depends(Public())])

_PAYMENT_ID = "^[A-Za-z0-9]{32}$"
Lang = Annotated[str | None, Query(max_length=8)]
AcceptLanguage = Annotated[str, Header(alias="Accept-Language")]


@router.get("/{paymentId}")
async def show_sandbox_payment(
    payment_id: Annotated[str, Path(alias="paymentId", pattern=_PAYMENT_ID)],
    sandbox: SandboxDep,
    lang: Lang = None,
    accepted: AcceptLanguage = "",
) -> HTMLResponse:
    payment = await sandbox.find(payment_id=payment_id)
    page = payment_page(payment, language_of(lang, accepted), is_open=sandbox.is_open(payment))
    return HTMLResponse(page, headers=headers_of(payment.return_url))


@router.post("/{paymentId}")
async def settle_sandbox_payment(
    payment_id: Annotated[str, Path(alias="paymentId", pattern=_PAYMENT_ID)],
    sandbox: SandboxDep,
    action: Annotated[Literal["pay", "decline", "cancel"], Form()],
    card: Annotated[str, Form(max_length=64)] = "",
    lang: Lang = None,
    accepted: AcceptLanguage = "",
) -> Response:
    """Settles the payment, notifies the platform and redirects the browser back to it."""
    payment = await sandbox.find(payment_id=payment_id)
    outcome = _outcome(action, card)
    if outcome is None:
        page = payment_page(payment, language_of(lang, accepted), is_open=sandbox.is_open(payment), invalid=True)
        return HTMLResponse(page, 400, headers=headers_of(payment.return_url))
    if await sandbox.settle(payment_id=payment_id, outcome=outcome):
        return RedirectResponse(payment.return_url, 303, headers=headers_of(payment.return_url))
    return RedirectResponse(f"{PAGES}/{payment_id}", 303)


def _outcome(action: Literal["pay", "decline", "cancel"], card: str) -> Outcome | None:
    match action:
        case "pay":
            return answer_to(card)
        case "decline":
            return Outcome.DECLINED
        case "cancel":
            return Outcome.CANCELLED
