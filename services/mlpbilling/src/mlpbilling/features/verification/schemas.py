from mlplace_kit.wire import Output


class DriftData(Output):
    account_id: int
    currency: str
    figure: str
    cached_nano: int
    actual_nano: int


class DebtSumsData(Output):
    """Nano-units. `open_nano` is the sum of debts; `uncollected_nano` is the ledger's balance of them, and must be
    equal.

    `payable_nano` is owed although the payer has money by now; it is above zero only for moments. `advanced_nano` is
    the part of negative balances that owners received before debts were introduced.
    """

    open_nano: int
    uncollected_nano: int
    payable_nano: int
    advanced_nano: int


class UnexplainedData(Output):
    """Numbers of rows that disagree with the ledger; zero is right."""

    usages: int
    refills: int
    payments: int
    rents: int
    debts: int


class VerificationData(Output):
    """`sums` are the sums of all postings per currency in nano-units; zero is right."""

    sound: bool
    drifts: list[DriftData]
    unbalanced_transactions: int
    sums: dict[str, int]
    unexplained: UnexplainedData
    debts: dict[str, DebtSumsData]
