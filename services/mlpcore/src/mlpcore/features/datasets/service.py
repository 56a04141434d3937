from typing import Final

from mlpcore.errors import in_use_by_services
from mlpcore.features.datasets.content import EMPTY, Content
from mlpcore.features.datasets.errors import DatasetLimitExceeded, StorageLimitExceeded
from mlpcore.features.datasets.formats.findings import in_english
from mlpcore.features.datasets.formats.types import DEFAULT_TYPE, same_content
from mlpcore.features.datasets.presentation import dataset_info
from mlpcore.features.datasets.repository import DatasetRepository
from mlpcore.features.datasets.schemas import CreateOrUpdateDatasetInfoData, DatasetInfoData, DatasetStorageData
from mlpcore.features.datasets.tables import Dataset
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.schemas import StatLogData
from mlpcore.features.stat_logs.service import StatLogs
from mlpcore.ports import DatasetUsers, OtherStorage
from mlpcore.quantities import bytes_of
from mlplace_kit.clock import Clock
from mlplace_kit.errors import AccountNotFound, Conflict, NameAlreadyExists, NotFound, ValidationFailed
from mlplace_kit.names import PathRef
from mlplace_kit.violations import broken
from mlplace_runtime.auth.principal import Principal
from mlplace_runtime.service import AccountDirectory

_MOST_ALLOWED: Final = 1000


class DatasetService:
    """What a dataset is, without its content."""

    def __init__(
        self,
        *,
        repository: DatasetRepository,
        users: DatasetUsers,
        others: OtherStorage,
        logs: StatLogs,
        accounts: AccountDirectory,
        clock: Clock,
        most: int,
        most_bytes: int,
    ) -> None:
        """`most`: datasets that an account may have. `most_bytes`: bytes that the content of each may have."""
        self._repository = repository
        self._users = users
        self._others = others
        self._logs = logs
        self._accounts = accounts
        self._clock = clock
        self._most = most
        self._most_bytes = most_bytes

    async def listed(self, *, account_id: int) -> list[DatasetInfoData]:
        name = await self._repository.account_name(account_id)
        found = await self._repository.of_account(account_id)
        return [dataset_info(each, account_name=name, own=True, listed=True) for each in found]

    async def storage(self, *, account_id: int) -> DatasetStorageData:
        limit = await self._repository.storage_limit(account_id)
        if limit is None:
            raise AccountNotFound
        used, datasets = await self._stored(account_id)
        return DatasetStorageData(
            limit_bytes=bytes_of(limit), used_bytes=used, datasets=datasets, dataset_limit_bytes=self._most_bytes
        )

    async def room(self, *, account_id: int, dataset_id: int | None = None) -> int:
        """Returns the bytes that a new content of the dataset, or of a new dataset, may have. Raises NotFound."""
        replaced = 0
        if dataset_id is not None:
            replaced = (await self.existing(account_id=account_id, dataset_id=dataset_id)).size
        storage = await self.storage(account_id=account_id)
        return max(0, storage.limit_bytes - storage.used_bytes + replaced)

    async def expect_room_for_new(self, *, account_id: int, name: str) -> None:
        """Raises DatasetLimitExceeded and NameAlreadyExists, before a file is received in vain."""
        _, datasets = await self._repository.stored(account_id)
        self._expect_fewer(datasets)
        if await self._repository.named(account_id=account_id, name=name) is not None:
            raise NameAlreadyExists(entity="a dataset", name=name)

    async def create(
        self, *, account_id: int, data: CreateOrUpdateDatasetInfoData, user_id: int | None, content: Content = EMPTY
    ) -> DatasetInfoData:
        """Raises NameAlreadyExists, DatasetLimitExceeded, StorageLimitExceeded."""
        await self._repository.hold(account_id)
        self._expect_fewer(await self._admit(account_id, content, replaced=0))
        now = self._clock.now()
        dataset = Dataset(
            account_id=account_id,
            name=data.name,
            description=data.description,
            data_type=data.data_type or DEFAULT_TYPE,
            access_mode=data.access_mode or "private",
            version=1,
            created_at=now,
            updated_at=now,
        )
        _write(dataset, content)
        await self._repository.add(dataset)
        self.log(dataset, LogCode.DATASET_CREATED, f"The dataset {dataset.name} was created", user_id)
        return await self._info(dataset)

    async def read(self, *, principal: Principal, ref: PathRef, dataset_id: int) -> DatasetInfoData:
        dataset, own = await self.seen(principal=principal, ref=ref, dataset_id=dataset_id)
        return dataset_info(dataset, account_name=await self._repository.account_name(dataset.account_id), own=own)

    async def seen(self, *, principal: Principal, ref: PathRef, dataset_id: int) -> tuple[Dataset, bool]:
        """Returns the dataset and whether it is the caller's. Raises NotFound for one that the caller may not see."""
        grant = principal.grant_for(ref)
        account_id = grant.account_id if grant else await self._account_id(ref)
        dataset = await self._repository.owned(account_id=account_id, dataset_id=dataset_id)
        own = principal.superadmin or (grant is not None and principal.allowed_models is None)
        if dataset is None or (dataset.access_mode == "private" and not own):
            raise NotFound(entity="dataset")
        return dataset, own

    async def update(
        self,
        *,
        account_id: int,
        dataset_id: int,
        data: CreateOrUpdateDatasetInfoData,
        user_id: int | None,
        keeps_content: bool = True,
    ) -> DatasetInfoData:
        """A content that is kept keeps its type, too."""
        if data.id is not None and (data.id.account_id, data.id.dataset_id) != (account_id, dataset_id):
            raise ValidationFailed({"id": broken("dataset_of_path")})
        dataset = await self._locked(account_id=account_id, dataset_id=dataset_id)
        data_type = data.data_type or dataset.data_type
        if keeps_content and dataset.object_key is not None and data_type != dataset.data_type:
            raise ValidationFailed({"dataType": broken("content_type_kept", type=dataset.data_type)})
        wanted = {
            "name": data.name,
            "description": data.description if "description" in data.model_fields_set else dataset.description,
            "data_type": data_type,
            "access_mode": data.access_mode or dataset.access_mode,
        }
        changes = {field: [getattr(dataset, field), value] for field, value in wanted.items()}
        changes = {field: change for field, change in changes.items() if change[0] != change[1]}
        for field, value in wanted.items():
            setattr(dataset, field, value)
        if changes:
            dataset.updated_at = self._clock.now()
            await self._repository.flush(dataset)
            names = [_WIRE[field] for field in changes]
            message = f"The dataset {dataset.name} was changed: {', '.join(names)}"
            args = {f"{_WIRE[field]}Change": change for field, change in changes.items()}
            self.log(dataset, LogCode.DATASET_CHANGED, message, user_id, **args)
        return await self._info(dataset)

    async def set_content(
        self,
        *,
        account_id: int,
        dataset_id: int,
        content: Content,
        checked_as: str,
        version: int | None,
        user_id: int | None,
    ) -> tuple[DatasetInfoData, str | None]:
        """Returns the dataset and the key of the object to delete now, if there is one.

        The earlier content stays for a while for readers that have not opened it yet, unless the account has as many
        such bytes as its limit: else frequent changes would fill the store.
        `checked_as`: the data type by which the content was checked. `version`: the one that it was made from. Raises
        NotFound, Conflict, StorageLimitExceeded.
        """
        dataset = await self._locked(account_id=account_id, dataset_id=dataset_id)
        if dataset.data_type != checked_as or version not in {None, dataset.version}:
            raise Conflict
        await self._admit(account_id, content, replaced=dataset.size)
        old, size = dataset.object_key, dataset.size
        _write(dataset, content)
        dataset.version += 1
        dataset.updated_at = self._clock.now()
        await self._repository.flush(dataset)
        message = f"The content of the dataset {dataset.name} was replaced: {content.size} bytes"
        self.log(dataset, LogCode.DATASET_CONTENT_CHANGED, message, user_id, size=content.size, rows=content.rows)
        return await self._info(dataset), None if await self._kept(account_id, old, size) else old

    async def _kept(self, account_id: int, key: str | None, size: int) -> bool:
        if key is None:
            return True
        most = bytes_of(await self._repository.storage_limit(account_id) or "0")
        return await self._others.keep_for_readers(
            account_id=account_id, key=key, size=size, now=self._clock.now(), most=most
        )

    async def _admit(self, account_id: int, content: Content, *, replaced: int) -> int:
        """Returns the number of the account's datasets.

        Exact, because others who would change what the account stores wait until this transaction ends.
        """
        limit = await self._repository.storage_limit(account_id)
        if limit is None:
            raise AccountNotFound
        used, datasets = await self._stored(account_id)
        if content.size > replaced and used - replaced + content.size > bytes_of(limit):
            raise over_limit(limit=bytes_of(limit), used=used, size=content.size)
        return datasets

    async def _stored(self, account_id: int) -> tuple[int, int]:
        """Returns the bytes that the account stores, its bucket included, and the number of its datasets."""
        used, datasets = await self._repository.stored(account_id)
        return used + await self._others.used_bytes(account_id), datasets

    def _expect_fewer(self, datasets: int) -> None:
        if datasets >= self._most:
            raise DatasetLimitExceeded(limit=str(self._most), used=str(datasets))

    async def delete(self, *, account_id: int, dataset_id: int) -> str | None:
        """Returns the key of the object that lost its row. Raises NotFound, and InUse while a model of any account
        refers to the dataset.
        """
        dataset = await self._locked(account_id=account_id, dataset_id=dataset_id)
        users = await self._users.users_of(account_id=account_id, dataset_id=dataset_id)
        if users.names or users.others:
            raise in_use_by_services("the dataset", users.names, others=users.others)
        key = dataset.object_key
        await self._repository.delete(dataset)
        return key

    async def allowed(self, *, account_id: int | None, training_type: str | None) -> list[DatasetInfoData]:
        """Returns up to 1,000 datasets with which the account may train a model that takes this type."""
        types = allowed_types(training_type)
        rows = await self._repository.usable_of_types(account_id=account_id, types=types, most=_MOST_ALLOWED)
        return [
            dataset_info(each, account_name=name, own=each.account_id == account_id, listed=True) for each, name in rows
        ]

    async def log_of(self, *, account_id: int, dataset_id: int) -> list[StatLogData]:
        """Raises NotFound for a dataset that the account does not own."""
        if await self._repository.owned(account_id=account_id, dataset_id=dataset_id) is None:
            raise NotFound(entity="dataset")
        return await self._logs.of_dataset(account_id=account_id, dataset_id=dataset_id)

    async def existing(self, *, account_id: int, dataset_id: int) -> Dataset:
        """Raises NotFound."""
        dataset = await self._repository.owned(account_id=account_id, dataset_id=dataset_id)
        if dataset is None:
            raise NotFound(entity="dataset")
        return dataset

    async def _locked(self, *, account_id: int, dataset_id: int) -> Dataset:
        """Returns the dataset, locked until the transaction ends. Raises NotFound."""
        await self._repository.hold(account_id)
        dataset = await self._repository.owned(account_id=account_id, dataset_id=dataset_id, lock=True)
        if dataset is None:
            raise NotFound(entity="dataset")
        return dataset

    def log(self, dataset: Dataset, code: LogCode, message: str, user_id: int | None, **args: object) -> None:
        self._logs.add(
            code,
            account_id=dataset.account_id,
            dataset_id=dataset.dataset_id,
            user_id=user_id,
            at=self._clock.now(),
            message=message,
            args={"name": dataset.name, **args},
        )

    async def _account_id(self, ref: PathRef) -> int:
        entry = await self._accounts.find(ref)
        return entry.account_id if entry else 0

    async def _info(self, dataset: Dataset) -> DatasetInfoData:
        name = await self._repository.account_name(dataset.account_id)
        return dataset_info(dataset, account_name=name, own=True)


_WIRE: Final = {"name": "name", "description": "description", "data_type": "dataType", "access_mode": "accessMode"}


def over_limit(*, limit: int, used: int, size: int) -> StorageLimitExceeded:
    return StorageLimitExceeded(name="storageLimit", limit=str(limit), used=str(used), size=str(size))


def _write(dataset: Dataset, content: Content) -> None:
    dataset.object_key, dataset.size, dataset.sha256 = content.key, content.size, content.sha256
    dataset.rows, dataset.columns = content.rows, content.columns
    dataset.warning = in_english(content.warnings)
    dataset.warnings = [{"code": each.code, "args": dict(each.args)} for each in content.warnings]


def allowed_types(training_type: str | None) -> list[str]:
    """Returns the data types that can be converted to the one that a model takes: any JSON if it names none."""
    return same_content(training_type or DEFAULT_TYPE)
