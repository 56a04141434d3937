"""Stores, reads and converts the contents of datasets. No database session is open while a file moves."""

import asyncio
import hashlib
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, aclosing, asynccontextmanager, contextmanager
from tempfile import TemporaryFile
from typing import BinaryIO, Final, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.datasets.content import Content
from mlpcore.features.datasets.downloads import Download, seconds_of
from mlpcore.features.datasets.errors import (
    BadDatasetContent,
    DatasetNotConvertible,
    DatasetNotTable,
    DatasetTooLarge,
    TooManyTransfers,
    TransfersBusy,
)
from mlpcore.features.datasets.formats import contents
from mlpcore.features.datasets.formats.problems import BadContentError
from mlpcore.features.datasets.formats.types import COLUMNS, DEFAULT_TYPE, extension, is_table, parse_type, same_content
from mlpcore.features.datasets.metrics import DATASET_UPLOADS
from mlpcore.features.datasets.objects import ContentObjects, file_pieces
from mlpcore.features.datasets.processing import Processing, Stored
from mlpcore.features.datasets.schemas import (
    CreateOrUpdateDatasetInfoData,
    DatasetInfoData,
    DatasetRowsChangeData,
    DatasetRowsData,
)
from mlpcore.features.datasets.service import DatasetService, over_limit
from mlpcore.features.datasets.tables import Dataset
from mlpcore.features.datasets.uploads import Bound, Received
from mlpcore.transfers import Transfers, TransfersBusyError, TransfersFullError
from mlplace_kit.errors import AccessDenied, Conflict, DomainError, ValidationFailed
from mlplace_kit.names import PathRef
from mlplace_kit.violations import broken
from mlplace_runtime.auth.principal import Principal
from mlplace_runtime.db.database import Database

Source = Callable[[BinaryIO, Bound], Awaitable[Received]]
"""Writes an upload into the file, up to the bound."""
_PIECE: Final = 256 * 1024
_Result = TypeVar("_Result")


class DatasetContents:
    """`service` makes the service of a session; `most_bytes` bounds each content."""

    def __init__(
        self,
        *,
        database: Database,
        objects: ContentObjects,
        transfers: Transfers,
        most_bytes: int,
        service: Callable[[AsyncSession], DatasetService],
    ) -> None:
        self._database = database
        self._objects = objects
        self._transfers = transfers
        self._processing = Processing(transfers)
        self._most_bytes = most_bytes
        self._service = service

    async def create(
        self, *, account_id: int, data: CreateOrUpdateDatasetInfoData, source: Source, user_id: int | None
    ) -> DatasetInfoData:
        """Raises the errors of the source, of the check and of the limits; then nothing is stored."""
        with self._place(account_id), _temporary() as file:
            async with self._database.transaction() as session:
                service = self._service(session)
                await service.expect_room_for_new(account_id=account_id, name=data.name)
                room = await service.room(account_id=account_id)
            received = await self._receive(account_id, file, source, room)
            content = await self._store(account_id, received, data.data_type or DEFAULT_TYPE)

            async def add(service: DatasetService) -> DatasetInfoData:
                return await service.create(account_id=account_id, data=data, user_id=user_id, content=content)

            return await self._refer(content, add)

    async def replace(
        self, *, account_id: int, dataset_id: int, source: Source, user_id: int | None
    ) -> DatasetInfoData:
        """Raises NotFound, and like `create`; then the dataset keeps its content."""
        with self._place(account_id), _temporary() as file:
            async with self._database.transaction() as session:
                service = self._service(session)
                room = await service.room(account_id=account_id, dataset_id=dataset_id)
                data_type = (await service.existing(account_id=account_id, dataset_id=dataset_id)).data_type
            received = await self._receive(account_id, file, source, room)
            content = await self._store(account_id, received, data_type)
            return await self._set(account_id, dataset_id, content, data_type, None, user_id)

    async def update(
        self,
        *,
        account_id: int,
        dataset_id: int,
        data: CreateOrUpdateDatasetInfoData,
        source: Source,
        user_id: int | None,
    ) -> DatasetInfoData:
        """Replaces the content and what the dataset is, in one transaction. The type may change with the content."""
        with self._place(account_id), _temporary() as file:
            async with self._database.transaction() as session:
                service = self._service(session)
                room = await service.room(account_id=account_id, dataset_id=dataset_id)
                dataset = await service.existing(account_id=account_id, dataset_id=dataset_id)
            data_type = data.data_type or dataset.data_type
            received = await self._receive(account_id, file, source, room)
            content = await self._store(account_id, received, data_type)

            async def change(service: DatasetService) -> tuple[DatasetInfoData, str | None]:
                await service.update(
                    account_id=account_id, dataset_id=dataset_id, data=data, user_id=user_id, keeps_content=False
                )
                return await service.set_content(
                    account_id=account_id,
                    dataset_id=dataset_id,
                    content=content,
                    checked_as=data_type,
                    version=dataset.version,
                    user_id=user_id,
                )

            info, old = await self._refer(content, change)
            await self._objects.remove(old)
            return info

    async def delete(self, *, account_id: int, dataset_id: int) -> None:
        async with self._database.transaction() as session:
            key = await self._service(session).delete(account_id=account_id, dataset_id=dataset_id)
        await self._objects.remove(key)

    async def download(self, *, principal: Principal, ref: PathRef, dataset_id: int, data_type: str | None) -> Download:
        """Raises NotFound, AccessDenied, DatasetNotConvertible, BadDatasetContent."""
        dataset = await self._readable(principal, ref, dataset_id)
        wanted = data_type or dataset.data_type
        allowed = same_content(dataset.data_type)
        if wanted not in allowed:
            raise DatasetNotConvertible(source=dataset.data_type, target=wanted[:64], allowed=", ".join(allowed))
        name = f"{dataset.name}.{extension(wanted)}"
        if wanted == dataset.data_type:
            pieces = await self._objects.stream(dataset.object_key)
            return Download(name, pieces, dataset.size, dataset.sha256, _nothing, None)
        with ExitStack() as held:
            held.enter_context(self._place(caller := _caller(principal)))
            output = held.enter_context(_temporary())
            refusal = DatasetTooLarge(limit=str(self._most_bytes))
            async with self._stored(dataset) as content, _refusals():
                size = await self._processing.convert(
                    caller, content, wanted, output, most=self._most_bytes, refusal=refusal
                )
            return Download(name, file_pieces(output), size, None, held.pop_all().close, seconds_of(size))

    async def rows(
        self, *, principal: Principal, ref: PathRef, dataset_id: int, first: int, size: int
    ) -> DatasetRowsData:
        """Raises NotFound, AccessDenied, DatasetNotTable, BadDatasetContent."""
        dataset = await self._readable(principal, ref, dataset_id)
        _expect_table(dataset)
        found: list[list[str]] = []
        # A page behind the last row would read the whole content, while others wait.
        if dataset.rows is None or first < dataset.rows:
            with self._place(caller := _caller(principal)):
                async with self._stored(dataset) as content, _refusals():
                    found = await self._processing.page(caller, content, first=first, size=size)
        columns = dataset.columns or list(COLUMNS[parse_type(dataset.data_type).kind])
        return DatasetRowsData(
            version=dataset.version, columns=columns, first=first, total=dataset.rows or 0, rows=found
        )

    async def change_rows(
        self, *, account_id: int, dataset_id: int, data: DatasetRowsChangeData, user_id: int | None
    ) -> DatasetInfoData:
        """Writes a new content with the changes. Raises Conflict if the dataset has another version by now."""
        with self._place(account_id), _temporary() as file:
            async with self._database.transaction() as session:
                service = self._service(session)
                dataset = await service.existing(account_id=account_id, dataset_id=dataset_id)
                room = await service.room(account_id=account_id, dataset_id=dataset_id)
            _expect_table(dataset)
            if dataset.version != data.version:
                raise Conflict
            changes, added = _changes(dataset, data)
            bound = await self._bound(account_id, room)
            async with self._stored(dataset) as stored, _refusals():
                await self._processing.change(
                    account_id, stored, changes, added, file, most=bound.size, refusal=bound.refusal
                )
            content = await self._store(account_id, await asyncio.to_thread(_measured, file), dataset.data_type)
            return await self._set(account_id, dataset_id, content, dataset.data_type, data.version, user_id)

    async def _readable(self, principal: Principal, ref: PathRef, dataset_id: int) -> Dataset:
        async with self._database.transaction() as session:
            dataset, own = await self._service(session).seen(principal=principal, ref=ref, dataset_id=dataset_id)
        if not own and dataset.access_mode == "restricted":
            raise AccessDenied
        return dataset

    async def _bound(self, account_id: int, room: int) -> Bound:
        """`room`: what the account's limit leaves, in bytes."""
        if room >= self._most_bytes:
            return Bound(self._most_bytes, DatasetTooLarge(limit=str(self._most_bytes)))
        async with self._database.transaction() as session:
            storage = await self._service(session).storage(account_id=account_id)
        return Bound(room, over_limit(limit=storage.limit_bytes, used=storage.used_bytes, size=room + 1))

    async def _receive(self, account_id: int, file: BinaryIO, source: Source, room: int) -> Received:
        bound = await self._bound(account_id, room)
        try:
            received = await source(file, bound)
            file.flush()
        except DomainError:
            DATASET_UPLOADS.labels("refused").inc()
            raise
        except BaseException:
            DATASET_UPLOADS.labels("broken").inc()
            raise
        if not received.size:
            raise ValidationFailed({"file": broken("not_empty")})
        return received

    async def _store(self, account_id: int, received: Received, data_type: str) -> Content:
        try:
            async with _refusals():
                found = await self._processing.check(
                    account_id, Stored(data_type, None, received.size, file=received.file)
                )
        except BadDatasetContent:
            DATASET_UPLOADS.labels("refused").inc()
            raise
        key = await self._objects.add(account_id, received.file)
        columns = None if found.columns is None else list(found.columns)
        return Content(key, received.size, received.sha256, found.rows, columns, found.warnings)

    async def _set(
        self,
        account_id: int,
        dataset_id: int,
        content: Content,
        data_type: str,
        version: int | None,
        user_id: int | None,
    ) -> DatasetInfoData:
        async def change(service: DatasetService) -> tuple[DatasetInfoData, str | None]:
            return await service.set_content(
                account_id=account_id,
                dataset_id=dataset_id,
                content=content,
                checked_as=data_type,
                version=version,
                user_id=user_id,
            )

        info, old = await self._refer(content, change)
        await self._objects.remove(old)
        return info

    async def _refer(self, content: Content, change: Callable[[DatasetService], Awaitable[_Result]]) -> _Result:
        """Makes a row refer to the stored object.

        A refusal deletes the object again. Other errors do not: the transaction may have been committed.
        """
        try:
            async with self._database.transaction() as session:
                found = await change(self._service(session))
        except DomainError:
            await self._objects.remove(content.key)
            DATASET_UPLOADS.labels("refused").inc()
            raise
        DATASET_UPLOADS.labels("stored").inc()
        return found

    @asynccontextmanager
    async def _stored(self, dataset: Dataset) -> AsyncGenerator[Stored]:
        """Opens the content. An xlsx file, and JSON without known columns, are not read from start to end."""
        about = (dataset.data_type, dataset.columns, dataset.size)
        if dataset.object_key is None:
            yield Stored(*about)
            return
        form = parse_type(dataset.data_type).format
        if form == "xlsx" or (form == "json" and dataset.columns is None):
            with await self._objects.copy(dataset.object_key) as file:
                yield Stored(*about, file=file)
            return
        pieces = await self._objects.stream(dataset.object_key)
        async with aclosing(pieces):
            yield Stored(*about, pieces=pieces)

    @contextmanager
    def _place(self, account_id: int) -> Generator[None]:
        """Raises TooManyTransfers, TransfersBusy."""
        try:
            with self._transfers.place(account_id):
                yield
        except TransfersFullError as error:
            raise TooManyTransfers(limit=str(error.limit)) from None
        except TransfersBusyError:
            raise TransfersBusy from None


@asynccontextmanager
async def _refusals() -> AsyncGenerator[None]:
    try:
        yield
    except BadContentError as error:
        raise _refusal(error) from error


def _nothing() -> None:
    return


def _temporary() -> AbstractContextManager[BinaryIO]:
    return TemporaryFile(prefix="mlplace-dataset-")


def _measured(file: BinaryIO) -> Received:
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(_PIECE):
        digest.update(piece)
    return Received(file, file.seek(0, os.SEEK_END), digest.hexdigest())


def _caller(principal: Principal) -> int:
    """Whose transfer it is: an account, or a user without one, as a number below zero."""
    if principal.selected:
        return principal.selected.account_id
    return -(principal.user_id or 0)


def _refusal(error: BadContentError) -> BadDatasetContent:
    return BadDatasetContent(
        line=str(error.line), column=str(error.column), problem=error.problem, reason=error.text, **error.details
    )


def _expect_table(dataset: Dataset) -> None:
    if not is_table(dataset.data_type):
        raise DatasetNotTable(dataType=dataset.data_type)


def _changes(
    dataset: Dataset, data: DatasetRowsChangeData
) -> tuple[Sequence[contents.Change], Sequence[tuple[str, ...]]]:
    """Raises ValidationFailed for a row that does not exist, and for one with another number of values."""
    width = len(dataset.columns or COLUMNS[parse_type(dataset.data_type).kind])
    wrong = broken("row_width", count=str(width))
    problems = {f"added.{number}": wrong for number, row in enumerate(data.added) if len(row) != width}
    for number, change in enumerate(data.changes):
        if change.row >= (dataset.rows or 0):
            problems[f"changes.{number}.row"] = broken("not_found")
        elif change.values is not None and len(change.values) != width:
            problems[f"changes.{number}.values"] = wrong
    if problems:
        raise ValidationFailed(problems)
    changes = [contents.Change(each.row, None if each.values is None else tuple(each.values)) for each in data.changes]
    return changes, [tuple(row) for row in data.added]
