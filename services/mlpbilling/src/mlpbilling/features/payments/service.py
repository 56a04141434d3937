import uuid
from collections.abc import Mapping
from datetime import timedelta

from mlpbilling.features.payments.errors import (
    CardRefillOff,
    PaymentMismatch,
    PaymentProviderAway,
    TooManyPayments,
)
from mlpbilling.features.payments.repository import PaymentRepository
from mlpbilling.features.payments.schemas import PaymentNoticeData, PaymentNoticePage
from mlpbilling.features.payments.settling import PaymentSettlement, PaymentVerdict, ReportSource
from mlpbilling.features.payments.states import AttemptState
from mlpbilling.features.payments.tables import PaymentAttempt, PaymentNotice
from mlpbilling.features.refills.dependencies import refills_of
from mlpbilling.payment_provider import (
    CreatedPayment,
    PaymentOrder,
    PaymentProvider,
    ProviderUnavailableError,
)
from mlpbilling.redirects import Redirects
from mlpbilling.state import BillingState
from mlplace_kit.errors import NotFound, ValidationFailed
from mlplace_kit.ids import new_event_id
from mlplace_kit.money import Currency, shown
from mlplace_kit.pagination import PageRequest, Pagination
from mlplace_kit.violations import broken

MAX_OPEN = 50


class CardPayments:
    """Uses several transactions: none is open during calls to the provider."""

    def __init__(self, state: BillingState, provider: PaymentProvider | None, redirects: Redirects) -> None:
        self._state = state
        self._provider = provider
        self._redirects = redirects

    async def start(
        self, *, account_id: int, user_id: int, amount_nano: int, redirect_url: str, platform_url: str
    ) -> str:
        """Starts a payment and returns the URL for the payer. `platform_url` is the scheme and host that the browser
        used.

        Raises CardRefillOff, TooManyPayments, PaymentProviderAway, and ValidationFailed for a redirect to a foreign
        site.
        """
        provider = self._provider_in_use()
        host = platform_url.partition("://")[2]
        if not await self._redirects.allowed(url=redirect_url, host=host):
            raise ValidationFailed({"redirectUrl": broken("own_page")})
        order = self._order(amount_nano, redirect_url, platform_url)
        await self._write_down(order, account_id, user_id, provider.name)
        try:
            created = await provider.create(order)
        except ProviderUnavailableError as error:
            raise PaymentProviderAway from error
        await self._mark_pending(uuid.UUID(order.order_id), created)
        return created.payment_url

    async def receive(self, *, provider: str, headers: Mapping[str, str], body: bytes) -> None:
        """Handles a callback. Raises NotFound, CallbackForged, PaymentMismatch."""
        if self._provider is None or provider != self._provider.name:
            raise NotFound(entity="payment provider")
        report = self._provider.read_callback(headers, body)
        async with self._state.database.transaction() as session:
            verdict = await PaymentSettlement(self._state, provider).settle(session, report, ReportSource.CALLBACK)
        # Raised after the commit, so that the report stays recorded.
        if verdict is PaymentVerdict.MISMATCH:
            raise PaymentMismatch
        if verdict is PaymentVerdict.UNKNOWN:
            raise NotFound(entity="payment")

    def _provider_in_use(self) -> PaymentProvider:
        if self._provider is None:
            raise CardRefillOff
        return self._provider

    def _order(self, amount_nano: int, redirect_url: str, platform_url: str) -> PaymentOrder:
        settings = self._state.settings
        return PaymentOrder(
            order_id=str(new_event_id()),
            amount_nano=amount_nano,
            currency=settings.currency,
            platform_url=platform_url,
            return_url=platform_url + redirect_url if redirect_url.startswith("/") else redirect_url,
            expires_at=self._state.clock.now() + timedelta(minutes=settings.payment_minutes),
        )

    async def _write_down(self, order: PaymentOrder, account_id: int, user_id: int, provider: str) -> None:
        async with self._state.database.transaction() as session:
            repository = PaymentRepository(session)
            if await repository.count_open(account_id=account_id) >= MAX_OPEN:
                raise TooManyPayments
            attempt = PaymentAttempt(
                attempt_id=uuid.UUID(order.order_id),
                refill_id=await refills_of(session, self._state).set_aside_id(),
                account_id=account_id,
                user_id=user_id,
                currency=order.currency,
                amount_nano=order.amount_nano,
                provider=provider,
                state=AttemptState.CREATED,
                created_at=self._state.clock.now(),
                expires_at=order.expires_at,
                checks=0,
                next_check_at=order.expires_at,
            )
            await repository.add(attempt)

    async def _mark_pending(self, attempt_id: uuid.UUID, created: CreatedPayment) -> None:
        """Marks the attempt as pending, unless the provider's callback was faster."""
        first_check = timedelta(seconds=self._state.settings.payment_check_seconds)
        async with self._state.database.transaction() as session:
            repository = PaymentRepository(session)
            attempt = await repository.lock(attempt_id)
            if attempt and attempt.state == AttemptState.CREATED:
                attempt.state, attempt.payment_id = AttemptState.PENDING, created.payment_id
                attempt.next_check_at = min(self._state.clock.now() + first_check, attempt.expires_at)
                await repository.store(attempt)


class PaymentNotices:
    """Lists mismatching reports for the people who check them."""

    def __init__(self, repository: PaymentRepository) -> None:
        self._repository = repository

    async def mismatches(self, *, request: PageRequest) -> PaymentNoticePage:
        if request.sort_field != "id":
            raise ValidationFailed({"sort": broken("sort", message="sort by id", allowed="id")})
        rows, total = await self._repository.mismatches(request)
        return PaymentNoticePage(
            paging=Pagination.of(request, total), records=[_shown(notice, attempt) for notice, attempt in rows]
        )


def _shown(notice: PaymentNotice, attempt: PaymentAttempt) -> PaymentNoticeData:
    return PaymentNoticeData.model_validate(
        {
            "id": notice.id,
            "received_at": notice.received_at,
            "provider": notice.provider,
            "source": notice.source,
            "attempt_id": str(notice.attempt_id),
            "account_id": attempt.account_id,
            "payment_id": notice.payment_id,
            "outcome": notice.outcome,
            "currency": Currency(notice.currency),
            "amount_currency": shown(notice.amount_nano),
            "ordered_currency": attempt.currency,
            "ordered_amount_currency": shown(attempt.amount_nano),
        }
    )
