from mlplace_kit.wire import Output


class DriftData(Output):
    account_id: int
    currency: str
    figure: str
    cached_nano: int
    actual_nano: int


class VerificationData(Output):
    """`sums`: the postings of each currency added up, zero in sound books. Nano-units."""

    sound: bool
    drifts: list[DriftData]
    unbalanced_transactions: int
    sums: dict[str, int]
