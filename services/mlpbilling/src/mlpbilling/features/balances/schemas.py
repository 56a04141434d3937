from datetime import datetime

from mlplace_kit.wire import Output


class BalanceShortData(Output):
    """Amounts are rounded down to two decimals. The last three belong to a tariff that this platform lacks: null."""

    overall_balance_currency: float
    income_balance_currency: float
    jaicp_tariff_balance_currency: float | None
    next_refill_currency: float | None
    next_refill_date: datetime | None


class CurrencyBalance(Output):
    """Exact, in nano-units. `held_nano` is the part of `main_nano` that is reserved for current calls."""

    currency: str
    main_nano: int
    income_nano: int
    held_nano: int


class BalanceData(BalanceShortData):
    """`balances` has the currency that people see, and every other one in which the account has had money."""

    main_balance_currency: float
    blocked: bool
    below_zero_since: datetime | None
    balances: list[CurrencyBalance]
