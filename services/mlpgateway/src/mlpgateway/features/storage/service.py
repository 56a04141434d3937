"""The storage that an account uses, and how long it keeps data."""

from mlpgateway.features.storage.counting import StoredBytes
from mlpgateway.features.storage.limits import StorageLimits
from mlpgateway.features.storage.repository import StorageRepository
from mlpgateway.features.storage.schemas import StorageData, StorageHoursData, StorageKindData, StorageSettingData
from mlplace_runtime.db.database import Database


class Storage:
    """`prediction_hours` and `answer_hours` are the platform's defaults."""

    def __init__(
        self, *, database: Database, limits: StorageLimits, prediction_hours: float, answer_hours: float
    ) -> None:
        self._database = database
        self._limits = limits
        self._prediction_hours = prediction_hours
        self._answer_hours = answer_hours

    async def read(self, account_id: int) -> StorageData:
        async with self._database.transaction() as session:
            use = await StoredBytes(session).use(account_id)
            row = await StorageRepository(session).setting(account_id)
        setting = StorageSettingData(
            prediction_hours=row.prediction_hours if row else None,
            answer_hours=row.answer_hours if row else None,
            archive_hours=row.archive_hours if row else None,
        )
        return StorageData(
            limit_bytes=self._limits.of(account_id),
            used_bytes=sum(each.size for each in use.values()),
            kinds=[StorageKindData(kind=kind, bytes=each.size, items=each.items) for kind, each in use.items()],
            setting=setting,
            kept=StorageHoursData(
                prediction_hours=_smaller(setting.prediction_hours, self._prediction_hours),
                answer_hours=_smaller(setting.answer_hours, self._answer_hours),
                archive_hours=setting.archive_hours,
            ),
        )

    async def change(self, account_id: int, setting: StorageSettingData) -> StorageData:
        async with self._database.transaction() as session:
            await StorageRepository(session).set(account_id, setting.model_dump())
        return await self.read(account_id)


def _smaller(own: int | None, most: float) -> float:
    return most if own is None else min(own, most)
