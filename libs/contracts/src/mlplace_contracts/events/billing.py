"""Events of mlpbilling."""

from typing import ClassVar, Literal

from mlplace_contracts.events.base import Event, Moment, StateEvent
from mlplace_contracts.topics import BALANCES, REFILLS, Topic
from mlplace_kit.money import Currency


class BalanceChanged(StateEvent):
    """The balance of one account in one currency, in nano-units. `blocked` belongs to the account and is equal in both
    currencies.

    `unused_wanted` says that a call waits for money that gates hold: gates return the unused remainder of their leases.
    `rests_wanted` is the name of this field up to version 0.1. Both are written until no gate of that version runs.
    """

    type_name: ClassVar[str] = "mlpbilling.balance_changed.v1"
    topic: ClassVar[Topic] = BALANCES

    account_id: int
    currency: Currency
    main_nano: int
    income_nano: int
    blocked: bool
    unused_wanted: bool = False
    rests_wanted: bool = False

    @property
    def key(self) -> str:
        return f"{self.account_id}:{self.currency}"


class RefillDone(Event):
    """Money was added to a main balance. `user_id` ordered the refill; null for the installation itself."""

    type_name: ClassVar[str] = "mlpbilling.refill_done.v1"
    topic: ClassVar[Topic] = REFILLS

    refill_id: int
    account_id: int
    user_id: int | None
    source: Literal["REQUEST_FROM_AA", "REFILL_FROM_INCOME", "WELCOME_BONUS", "CARD"]
    currency: Currency
    amount_nano: int
    done_at: Moment

    @property
    def key(self) -> str:
        return str(self.account_id)
