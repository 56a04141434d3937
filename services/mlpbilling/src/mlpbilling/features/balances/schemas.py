from datetime import datetime

from mlplace_kit.wire import Output


class BalanceShortData(Output):
    """Rounded down to two decimals. The last three are of a tariff that this platform does not have: null."""

    overall_balance_currency: float
    income_balance_currency: float
    jaicp_tariff_balance_currency: float | None
    next_refill_currency: float | None
    next_refill_date: datetime | None


class CurrencyBalance(Output):
    """Exact, in nano-units. `held_nano` is the part of `main_nano` that calls of the moment may use up."""

    currency: str
    main_nano: int
    income_nano: int
    held_nano: int


class BalanceData(BalanceShortData):
    """`balances` holds the currency that people see, and every other that the account has had money in."""

    main_balance_currency: float
    blocked: bool
    below_zero_since: datetime | None
    balances: list[CurrencyBalance]
