"""Events of mlpbilling."""

from typing import ClassVar, Literal

from mlplace_contracts.events.base import StateEvent
from mlplace_contracts.topics import BALANCES, Topic


class BalanceChanged(StateEvent):
    """One account's money in one currency, in nano-units. `blocked` is of the account, the same in both currencies.

    With `rests_wanted` a call waits for money that gates hold: they give back what no call of theirs has taken.
    """

    type_name: ClassVar[str] = "mlpbilling.balance_changed.v1"
    topic: ClassVar[Topic] = BALANCES

    account_id: int
    currency: Literal["RUBLE", "TOKEN"]
    main_nano: int
    income_nano: int
    blocked: bool
    rests_wanted: bool = False

    @property
    def key(self) -> str:
        return f"{self.account_id}:{self.currency}"
