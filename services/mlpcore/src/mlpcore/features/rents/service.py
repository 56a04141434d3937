from mlpcore.features.rents.repository import RentedUse, RentRepository
from mlpcore.features.rents.tables import Rent
from mlpcore.features.servers.service import SILENT_AFTER
from mlplace_contracts.events import RentChanged
from mlplace_kit.clock import Clock
from mlplace_kit.money import Currency
from mlplace_runtime.db.outbox import Publisher

_SHOWN = ("source_name", "owner_account_id", "price_nano", "currency", "period")


class RentService:
    """Tells mlpbilling which account rents what. mlpbilling computes the charges."""

    def __init__(self, repository: RentRepository, publisher: Publisher, clock: Clock, currency: Currency) -> None:
        self._repository = repository
        self._publisher = publisher
        self._clock = clock
        self._currency = currency

    async def compare(self) -> None:
        """Begins, changes and ends rents to match the current uses. Level-triggered: a missed round loses nothing."""
        await self._repository.hold()
        since = self._clock.now() - SILENT_AFTER
        uses = {use.key: use for use in await self._repository.uses(self._currency, since=since)}
        for rent in await self._repository.known():
            use = uses.pop((rent.source_type, rent.source_id, rent.payer_account_id), None)
            if _differs(rent, use):
                await self._change(rent, use)
        for use in uses.values():
            await self._begin(use)

    async def _begin(self, use: RentedUse) -> None:
        now = self._clock.now()
        rent = Rent(
            source_type=use.source_type,
            source_id=use.source_id,
            payer_account_id=use.payer_account_id,
            started_at=now,
            changed_at=now,
            version=1,
            **{name: getattr(use, name) for name in _SHOWN},
        )
        await self._repository.store(rent)
        await self._publisher.add(_event(rent))

    async def _change(self, rent: Rent, use: RentedUse | None) -> None:
        now = self._clock.now()
        for name in _SHOWN if use else ():
            setattr(rent, name, getattr(use, name))
        rent.ended_at = None if use else now
        rent.changed_at = now
        rent.version += 1
        await self._repository.store(rent)
        await self._publisher.add(_event(rent))


def _differs(rent: Rent, use: RentedUse | None) -> bool:
    if use is None:
        return rent.ended_at is None
    return rent.ended_at is not None or any(getattr(rent, name) != getattr(use, name) for name in _SHOWN)


def _event(rent: Rent) -> RentChanged:
    names = ("rent_id", "version", "source_type", "payer_account_id", "started_at", "changed_at", "ended_at", *_SHOWN)
    return RentChanged.model_validate({name: getattr(rent, name) for name in names})
