from mlpbilling.features.balances.schemas import BalanceData, BalanceShortData, CurrencyBalance
from mlpbilling.features.ledger.service import Ledger
from mlplace_kit.money import Currency, shown


class BalanceReader:
    """`currency` is the one that people see."""

    def __init__(self, ledger: Ledger, currency: Currency) -> None:
        self._ledger = ledger
        self._currency = currency

    async def blocked(self, *, account_id: int) -> bool:
        return (await self._ledger.standing(account_id=account_id)).blocked

    async def short(self, *, account_id: int) -> BalanceShortData:
        balances = (await self._ledger.standing(account_id=account_id)).of(self._currency)
        return BalanceShortData(
            overall_balance_currency=shown(balances.main_nano),
            income_balance_currency=shown(balances.income_nano),
            jaicp_tariff_balance_currency=None,
            next_refill_currency=None,
            next_refill_date=None,
        )

    async def full(self, *, account_id: int) -> BalanceData:
        account = await self._ledger.standing(account_id=account_id)
        balances = account.of(self._currency)
        return BalanceData(
            overall_balance_currency=shown(balances.main_nano),
            income_balance_currency=shown(balances.income_nano),
            jaicp_tariff_balance_currency=None,
            next_refill_currency=None,
            next_refill_date=None,
            main_balance_currency=shown(balances.main_nano),
            blocked=account.blocked,
            below_zero_since=account.below_zero_since,
            balances=[
                CurrencyBalance(
                    currency=currency, main_nano=each.main_nano, income_nano=each.income_nano, held_nano=each.held_nano
                )
                for currency, each in sorted(account.currencies.items())
            ],
        )
