from mlpbilling.features.usage.periods import TimeSpan
from mlpbilling.features.usage.ports import KnownNames
from mlpbilling.features.usage.repository import UsageRepository, UsageSide
from mlpbilling.features.usage.schemas import (
    BillingDetails,
    BillingDetailsRow,
    CallOrigins,
    IncomeByModelRow,
    IncomeByPayerRow,
)
from mlplace_contracts.internal.billing import KeySpending, KeySpendingRequest
from mlplace_kit.money import Currency, shown

_NEWEST = 1000
"""Calls that are searched for their origins. A large account must not cost more than a new one."""


class UsageReports:
    """Reports of an account's spending on others' models and of its own models' income, without calls of its own
    models.
    """

    def __init__(self, usages: UsageRepository, directory: KnownNames, currency: Currency) -> None:
        self._usages = usages
        self._directory = directory
        self._currency = currency

    async def details(self, *, account_id: int, side: UsageSide, span: TimeSpan) -> BillingDetails:
        found = await self._usages.details(account_id=account_id, side=side, currency=self._currency, span=span)
        names = await self._directory.model_names({detail.model_id for detail in found})
        return BillingDetails(
            total=shown(sum(detail.amount_nano for detail in found)),
            items=[
                BillingDetailsRow(
                    date=detail.bucket,
                    source_type="MODEL",
                    model_account_id=detail.model_account_id,
                    model_id=detail.model_id,
                    name=names.get(detail.model_id, detail.model_name),
                    calls_count=detail.calls,
                    units=detail.units,
                    reported_units=detail.reported_units,
                    amount_currency=shown(detail.amount_nano),
                )
                for detail in found
            ],
        )

    async def origins(self, *, account_id: int) -> CallOrigins:
        found = await self._usages.origins(account_id=account_id, currency=self._currency, limit=_NEWEST)
        return CallOrigins(last_by_session=found.by_session, last_by_key=found.by_key)

    async def key_spending(self, *, request: KeySpendingRequest) -> KeySpending:
        spent = await self._usages.spent_by_key(
            account_id=request.payer_account_id,
            key_id=request.key_id,
            currency=Currency(request.currency) if request.currency else None,
            since=request.since,
        )
        return KeySpending(spent_nano=spent)

    async def income_by_model(self, *, account_id: int, span: TimeSpan) -> list[IncomeByModelRow]:
        found = await self._usages.income_by_model(account_id=account_id, currency=self._currency, span=span)
        names = await self._directory.model_names({subtotal.id for subtotal in found})
        return [
            IncomeByModelRow(
                model_id=subtotal.id,
                model_name=names.get(subtotal.id, subtotal.name),
                calls_count=subtotal.calls,
                amount_currency=shown(subtotal.amount_nano),
            )
            for subtotal in found
        ]

    async def income_by_payer(self, *, account_id: int, span: TimeSpan) -> list[IncomeByPayerRow]:
        found = await self._usages.income_by_payer(account_id=account_id, currency=self._currency, span=span)
        names = await self._directory.account_names({subtotal.id for subtotal in found})
        return [
            IncomeByPayerRow(
                account_id=subtotal.id,
                account_name=names.get(subtotal.id, str(subtotal.id)),
                calls_count=subtotal.calls,
                amount_currency=shown(subtotal.amount_nano),
            )
            for subtotal in found
        ]
