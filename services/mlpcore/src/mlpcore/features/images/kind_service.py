"""What accounts may do with images of each kind: create, list, read, change and delete them, and read their history."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Generic, TypedDict, TypeVar

from pydantic.alias_generators import to_camel

from mlpcore.errors import in_use_by_services
from mlpcore.features.images.kind_sql import ImageKindRepository, Row
from mlpcore.features.images.schemas import Belonging, ImageData, ImageInfoData
from mlpcore.features.images.tables import ImageColumns
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.schemas import StatLogData
from mlpcore.features.stat_logs.service import StatLogs
from mlpcore.ports import ImageUsers
from mlplace_kit.clock import Clock
from mlplace_kit.errors import DomainError, NotFound, ValidationFailed
from mlplace_kit.names import PathRef
from mlplace_kit.pagination import PageRequest, Pagination
from mlplace_kit.violations import Violation
from mlplace_runtime.auth.principal import Principal
from mlplace_runtime.service import AccountDirectory

Data = TypeVar("Data", bound=ImageData)
Info = TypeVar("Info", bound=ImageInfoData)


class LogIds(TypedDict, total=False):
    """The column of the log that names an image of the kind."""

    image_id: int
    data_image_id: int


class ImageKindService(ABC, Generic[Row, Data, Info]):
    """`entity` names the kind in sentences. `fields` are what a request sets: attributes of data, row and info."""

    entity: ClassVar[str]
    fields: ClassVar[Sequence[str]] = ("name", "image", "access_mode")
    created: ClassVar[LogCode]
    changed: ClassVar[LogCode]
    of_other_path: ClassVar[Violation]
    """The violation of an id in the body that is not that of the path."""
    limit_exceeded: ClassVar[type[DomainError]]

    def __init__(
        self,
        *,
        repository: ImageKindRepository[Row],
        users: ImageUsers,
        logs: StatLogs,
        accounts: AccountDirectory,
        clock: Clock,
        most: int,
    ) -> None:
        """`most`: images of the kind that an account may have."""
        self._repository = repository
        self._users = users
        self._logs = logs
        self._accounts = accounts
        self._clock = clock
        self._most = most

    @abstractmethod
    def _new(self, account_id: int, data: Data) -> Row: ...

    @abstractmethod
    def _shown(self, image: Row, *, account_name: str | None, own: bool) -> Info: ...

    @abstractmethod
    def _log_ids(self, image_id: int) -> LogIds: ...

    @abstractmethod
    async def _entries(self, *, account_id: int, image_id: int) -> list[StatLogData]: ...

    async def create(self, *, account_id: int, data: Data, user_id: int | None) -> Info:
        """Raises NameAlreadyExists, and the kind's error when the account has as many as it may have."""
        used = await self._repository.hold(account_id)
        if used >= self._most:
            raise self.limit_exceeded(limit=str(self._most), used=str(used))
        image = await self._repository.add(self._new(account_id, data))
        self._log(image, self.created, f"The {self.entity} {image.name} was created", user_id)
        return await self._info(image, viewer=account_id)

    async def page(
        self, *, account_id: int, name: str | None, belonging: Belonging, page: PageRequest
    ) -> tuple[Pagination, list[Info]]:
        """Raises ValidationFailed for an unknown field to sort by."""
        rows, total = await self._repository.page(account_id=account_id, name=name, belonging=belonging, page=page)
        found = [self._shown(row, account_name=owner, own=row.account_id == account_id) for row, owner in rows]
        return Pagination.of(page, total), found

    async def read(self, *, principal: Principal, ref: PathRef, image_id: int) -> Info:
        """Raises NotFound for an image that the caller may not see."""
        grant = principal.grant_for(ref)
        account_id = grant.account_id if grant else await self._account_id(ref)
        image = await self._repository.owned(account_id=account_id, image_id=image_id)
        own = principal.superadmin or (grant is not None and principal.allowed_models is None)
        if image is None or (image.access_mode == "private" and not own):
            raise NotFound(entity=self.entity)
        return self._shown(image, account_name=await self._repository.account_name(account_id), own=own)

    async def update(self, *, account_id: int, image_id: int, data: Data, user_id: int | None) -> Info:
        """Raises NotFound, NameAlreadyExists, and ValidationFailed for another id in the data."""
        if data.id is not None and (data.id.account_id, data.id.image_id) != (account_id, image_id):
            raise ValidationFailed({"id": self.of_other_path})
        image = await self._existing(account_id, image_id)
        changes = self._changes(image, data)
        for field in self.fields:
            setattr(image, field, getattr(data, field))
        await self._repository.flush(image)
        if changes:
            what = ", ".join(changes)
            args = {f"{field}Change": change for field, change in changes.items()}
            self._log(image, self.changed, f"The {self.entity} {image.name} was changed: {what}", user_id, **args)
        return await self._info(image, viewer=account_id)

    async def delete(self, *, account_id: int, image_id: int) -> None:
        """Raises NotFound, and InUse while a model of any account uses the image."""
        image = await self._existing(account_id, image_id)
        users = await self._users.users_of(account_id=account_id, image_id=image_id)
        if users.names or users.others:
            raise in_use_by_services(f"the {self.entity}", users.names, others=users.others)
        await self._repository.delete(image)

    async def log_of(self, *, account_id: int, image_id: int) -> list[StatLogData]:
        """Raises NotFound for an image that the account does not own."""
        if await self._repository.owned(account_id=account_id, image_id=image_id) is None:
            raise NotFound(entity=self.entity)
        return await self._entries(account_id=account_id, image_id=image_id)

    def _log(self, image: Row, code: LogCode, message: str, user_id: int | None, **args: object) -> None:
        self._logs.add(
            code,
            account_id=image.account_id,
            user_id=user_id,
            at=self._clock.now(),
            message=message,
            args={"name": image.name, **args},
            **self._log_ids(image.image_id),
        )

    def _changes(self, image: Row, data: Data) -> Mapping[str, object]:
        """Returns the changed fields, as the wire names them, with their values before and after."""
        pairs = {field: [getattr(image, field), getattr(data, field)] for field in self.fields}
        return {to_camel(field): pair for field, pair in pairs.items() if pair[0] != pair[1]}

    async def _existing(self, account_id: int, image_id: int) -> Row:
        image = await self._repository.owned(account_id=account_id, image_id=image_id, lock=True)
        if image is None:
            raise NotFound(entity=self.entity)
        return image

    async def _account_id(self, ref: PathRef) -> int:
        entry = await self._accounts.find(ref)
        return entry.account_id if entry else 0

    async def _info(self, image: Row, *, viewer: int) -> Info:
        name = await self._repository.account_name(image.account_id)
        return self._shown(image, account_name=name, own=image.account_id == viewer)


def common_info(image: ImageColumns, *, account_name: str | None, own: bool) -> dict[str, object]:
    """Returns what the info of each kind has; without the address of a restricted image of another account."""
    return {
        "id": {"account_id": image.account_id, "image_id": image.image_id},
        "name": image.name,
        "image_account_name": account_name,
        "image": image.image if own or image.access_mode != "restricted" else "",
        "access_mode": image.access_mode,
    }
