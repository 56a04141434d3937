from mlplace_kit.wire import Output


class DriftData(Output):
    account_id: int
    currency: str
    figure: str
    cached_nano: int
    actual_nano: int


class DebtSumsData(Output):
    """Nano-units. `open_nano` is the sum of the debts, `uncollected_nano` that of the purse: equal in sound books.

    `payable_nano`: owed although the payer has had money since; more than nothing only for moments.
    `advanced_nano`: below zero, and with the owners since before debts were kept.
    """

    open_nano: int
    uncollected_nano: int
    payable_nano: int
    advanced_nano: int


class UnexplainedData(Output):
    """How many rows do not agree with the ledger. Zero in sound books."""

    usages: int
    refills: int
    payments: int
    rents: int
    debts: int


class VerificationData(Output):
    """`sums`: the postings of each currency added up, zero in sound books. Nano-units."""

    sound: bool
    drifts: list[DriftData]
    unbalanced_transactions: int
    sums: dict[str, int]
    unexplained: UnexplainedData
    debts: dict[str, DebtSumsData]
