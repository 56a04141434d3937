from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Request, Response

from mlpbilling.features.payments.dependencies import CardPaymentsDep, PaymentNoticesDep, PlatformUrl
from mlpbilling.features.payments.schemas import PaymentNoticePage, RefillCardRequest, RefillCardResponse
from mlpbilling.features.refills.permissions import require_self
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, MemberById, OwnCredential, Superadmin

router = APIRouter(prefix="/api/mlpbilling", tags=["refill"])
NoticeKey = Annotated[str | None, Header(alias="Idempotency-Key")]
"""A provider may send one. It is not needed: each notice names its payment, which takes effect once."""


@router.post("/account/{accountId}/user/{userId}/refill/card/dynamic")
async def refill_by_card(
    access: Annotated[Access, Depends(MemberById(KeyPermission.READ, keys=False))],
    user_id: Annotated[int, Path(alias="userId", ge=1, lt=2**63)],
    body: RefillCardRequest,
    payments: CardPaymentsDep,
    platform_url: PlatformUrl,
) -> RefillCardResponse:
    """Starts a payment: redirect the browser to `paymentUrl`. Any member may pay for the account."""
    require_self(access, user_id)
    if body.account_id != access.account.account_id:
        raise ValidationFailed({"accountId": broken("account_of_path")})
    url = await payments.start(
        account_id=access.account.account_id,
        user_id=user_id,
        amount_nano=body.floored_nano(),
        redirect_url=body.redirect_url,
        platform_url=platform_url,
    )
    return RefillCardResponse(payment_url=url)


@router.post(
    "/payment-callback/{provider}",
    dependencies=[Depends(OwnCredential("the provider's signature"))],
    response_class=Response,
    include_in_schema=False,
)
async def take_payment_callback(
    request: Request, provider: Annotated[str, Path(max_length=32)], payments: CardPaymentsDep, _key: NoticeKey = None
) -> None:
    await payments.receive(provider=provider, headers=request.headers, body=await request.body())


@router.get("/admin/payment-mismatches", dependencies=[Depends(Superadmin())])
async def list_payment_mismatches(notices: PaymentNoticesDep, page: PageDep) -> PaymentNoticePage:
    """Lists the provider's reports that did not match their payment, newest first. Nothing was credited."""
    return await notices.mismatches(request=page)
