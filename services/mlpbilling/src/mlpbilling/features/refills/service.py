from mlpbilling.features.ledger.service import Ledger
from mlpbilling.features.refills.errors import IdempotencyKeyReused, WelcomeBonusTaken
from mlpbilling.features.refills.orders import RefillOrder, RefillSource
from mlpbilling.features.refills.ports import KnownAccounts
from mlpbilling.features.refills.repository import RefillRepository
from mlpbilling.features.refills.schemas import RefillHistoryRow, history_row
from mlpbilling.features.refills.tables import Refill
from mlplace_contracts.events import RefillDone
from mlplace_kit.clock import Clock
from mlplace_kit.errors import AccountNotFound, ValidationFailed
from mlplace_kit.names import PathRef
from mlplace_kit.violations import broken
from mlplace_runtime.db.outbox import Publisher

_HISTORY = 1000


class RefillService:
    def __init__(
        self,
        ledger: Ledger,
        repository: RefillRepository,
        accounts: KnownAccounts,
        publisher: Publisher,
        clock: Clock,
    ) -> None:
        self._ledger = ledger
        self._publisher = publisher
        self._repository = repository
        self._accounts = accounts
        self._clock = clock

    async def refill_known(self, *, order: RefillOrder) -> RefillHistoryRow:
        """Like `refill`. Raises AccountNotFound for an account that is unknown to this service."""
        if await self._accounts.account(PathRef(id=order.account_id, name=None)) is None:
            raise AccountNotFound
        return await self.refill(order=order)

    async def refill(self, *, order: RefillOrder, refill_id: int | None = None) -> RefillHistoryRow:
        """Refills an account. A repeated order with the same key moves nothing and returns the same row.

        Raises IdempotencyKeyReused, WelcomeBonusTaken, BalanceTooLarge, and ValidationFailed if the order exceeds the
        income.
        """
        changes = await self._ledger.lock_receiver(account_id=order.account_id, currency=order.currency)
        earlier = await self._repository.by_key(account_id=order.account_id, idempotency_key=order.idempotency_key)
        if earlier:
            return history_row(_same(earlier, order))
        if order.source is RefillSource.REFILL_FROM_INCOME:
            _check_income(order, changes.balances(order.account_id, order.currency).income_nano)
        now = self._clock.now()
        transaction = order.transaction(now)
        made = await self._repository.add(order, transaction.id, now, refill_id)
        if made is None:
            raise WelcomeBonusTaken  # the only other unique constraint
        changes.post(transaction)
        await self._ledger.store_changes(changes)
        await self._publisher.add(_event(made))
        return history_row(made)

    async def set_aside_id(self) -> int:
        """Reserves the id of a future refill, to be passed to `refill`."""
        return await self._repository.next_id()

    async def had_welcome_bonus(self, *, user_id: int) -> bool:
        """Whether the user had the welcome bonus, in any account."""
        return await self._repository.welcome_bonus_of(user_id=user_id) is not None

    async def history(self, *, account_id: int) -> list[RefillHistoryRow]:
        return [history_row(row) for row in await self._repository.history(account_id=account_id, limit=_HISTORY)]


def _same(earlier: Refill, order: RefillOrder) -> Refill:
    known = (earlier.source, earlier.currency, earlier.amount_nano, earlier.user_id)
    if known != (order.source, order.currency, order.amount_nano, order.user_id):
        raise IdempotencyKeyReused
    return earlier


def _event(made: Refill) -> RefillDone:
    return RefillDone.model_validate(
        {
            "refill_id": made.id,
            "done_at": made.created_at,
            **{name: getattr(made, name) for name in ("account_id", "user_id", "source", "currency", "amount_nano")},
        }
    )


def _check_income(order: RefillOrder, income_nano: int) -> None:
    if order.amount_nano > income_nano:
        raise ValidationFailed({"amountCurrency": broken("above_income")})
