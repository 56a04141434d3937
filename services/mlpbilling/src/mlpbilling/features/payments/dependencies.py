from typing import Annotated

from fastapi import Depends, Request

from mlpbilling.features.payments.repository import PaymentRepository
from mlpbilling.features.payments.service import CardPayments, PaymentNotices
from mlpbilling.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def card_payments(state: StateDep) -> CardPayments:
    return CardPayments(state, state.provider, state.redirects)


def payment_notices(session: SessionDep) -> PaymentNotices:
    return PaymentNotices(PaymentRepository(session))


def platform_url(request: Request) -> str:
    """Returns scheme and host as the browser used them; the edge forwards both."""
    return f"{request.url.scheme}://{request.headers.get('host', '')}"


CardPaymentsDep = Annotated[CardPayments, Depends(card_payments)]
PaymentNoticesDep = Annotated[PaymentNotices, Depends(payment_notices)]
PlatformUrl = Annotated[str, Depends(platform_url)]
