"""Places of uploads and conversions: shared among accounts, given back by those that are slow."""

import asyncio
import io
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import httpx
import pytest
from starlette.types import Message

from mlpcore.features.datasets.dependencies import dataset_contents
from mlpcore.features.datasets.downloads import Download, DownloadResponse, seconds_of
from mlpcore.features.datasets.errors import DatasetTooLarge
from mlpcore.features.datasets.uploads import Bound, Received, receive
from mlpcore.pacing import Pace
from mlpcore.state import CoreState
from mlpcore.transfers import Transfers, TransfersBusyError, TransfersFullError
from mlplace_contracts.enums import SUPERADMIN_PERMISSION
from mlplace_kit.errors import MalformedRequest, RequestTooSlow
from mlplace_kit.names import PathRef
from mlplace_runtime.auth.principal import Principal, PrincipalKind
from mlplace_testing.world import World

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MIB = 1024 * 1024
HEAD = b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n'
TAIL = b"\r\n--b--\r\n"
OTHERS = range(1000, 2000)
SUPERADMIN = Principal(PrincipalKind.USER, user_id=7, user_permissions=frozenset({SUPERADMIN_PERMISSION}))


def fill(places: ExitStack, transfers: Transfers, count: int) -> None:
    """Takes places for accounts with as many places as an account may have."""
    for number in range(count):
        places.enter_context(transfers.place(OTHERS[number // transfers.of_account]))


class TestPlaces:
    def test_accounts_with_transfers_leave_the_last_places_to_others(self) -> None:
        transfers = Transfers()
        with ExitStack() as places:
            fill(places, transfers, 19)
            places.enter_context(transfers.place(1))
            with pytest.raises(TransfersBusyError):
                places.enter_context(transfers.place(1))
            for newcomer in range(2, 14):
                places.enter_context(transfers.place(newcomer))
            with pytest.raises(TransfersBusyError):
                places.enter_context(transfers.place(99))
        assert transfers.in_progress == 0

    def test_account_has_four_places(self) -> None:
        transfers = Transfers()
        with ExitStack() as places:
            fill(places, transfers, 4)
            with pytest.raises(TransfersFullError):
                places.enter_context(transfers.place(OTHERS[0]))

    async def test_upload_without_a_place_is_told_to_try_again(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        path, files = "/api/mlpcore/account/acme/dataset/raw", {"file": ("x", b"[1]")}
        with ExitStack() as places:
            fill(places, state.transfers, state.transfers.of_process - state.transfers.for_newcomers)
            assert (await client.post(f"{path}?name=a", files=files, headers=world.owner)).status_code == 200
            places.enter_context(state.transfers.place(world.acme.account_id))
            refused = await client.post(f"{path}?name=b", files=files, headers=world.owner)
        assert (refused.status_code, refused.json()["code"]) == (503, "mlp.core.transfers_busy")
        assert refused.headers["retry-after"] == "5"


class TestTurns:
    async def test_account_waits_with_one_brief_program_and_others_come_between(self) -> None:
        transfers, order = Transfers(), list[int]()
        running = asyncio.Event()

        async def run(account_id: int, *, until: asyncio.Event | None = None) -> None:
            async with transfers.turn(account_id, brief=True):
                order.append(account_id)
                if until is not None:
                    await until.wait()

        async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
            tasks.create_task(run(1, until=running))
            tasks.create_task(run(1))
            await asyncio.sleep(0)
            tasks.create_task(run(2))
            await asyncio.sleep(0)
            with pytest.raises(TransfersFullError) as refused:
                await run(1)
            running.set()
        assert (order, refused.value.limit) == ([1, 2, 1], 2)
        await run(1)


class File(io.BytesIO):
    """Remembers which threads wrote it."""

    def __init__(self) -> None:
        super().__init__()
        self.threads = set[int]()

    def write(self, data: "ReadableBuffer", /) -> int:
        self.threads.add(threading.get_ident())
        return super().write(data)


async def received(pieces: AsyncIterator[bytes], pace: Pace, file: File) -> Received:
    bound = Bound(10 * MIB, DatasetTooLarge(limit="10"))
    return await receive(pieces, file, content_type="multipart/form-data; boundary=b", bound=bound, pace=pace)


class TestUploads:
    async def test_form_is_parsed_and_written_outside_of_the_event_loop(self) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            yield HEAD
            for _ in range(40):
                yield b"a" * 64 * 1024
            yield TAIL

        file = File()
        found = await received(pieces(), Pace(), file)
        assert (found.size, len(file.getvalue())) == (40 * 64 * 1024, 40 * 64 * 1024)
        assert threading.get_ident() not in file.threads

    async def test_upload_that_stops_is_refused(self) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            yield HEAD
            await asyncio.Event().wait()

        async with asyncio.timeout(60):
            with pytest.raises(RequestTooSlow):
                await received(pieces(), Pace(0.05), File())

    async def test_upload_that_sends_too_little_is_refused(self) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            while True:
                yield b"a"
                await asyncio.sleep(0)

        async with asyncio.timeout(60):
            with pytest.raises(RequestTooSlow):
                await received(pieces(), Pace(0.05, bytes_a_second=2**60), File())

    async def test_received_bytes_buy_time(self) -> None:
        """The last piece comes after more than the first allowance."""

        async def pieces() -> AsyncIterator[bytes]:
            yield HEAD
            await asyncio.sleep(0.05)
            yield b"a"

        with pytest.raises(MalformedRequest, match="ended early"):
            await received(pieces(), Pace(0.01, bytes_a_second=1), File())


class TestDownloads:
    def test_converted_file_holds_its_place_for_a_time_that_grows_with_it(self) -> None:
        assert [seconds_of(size) for size in (0, MIB, 2048 * MIB)] == [900, 901, 2948]

    async def test_download_that_nobody_reads_gives_its_place_back(self) -> None:
        closed: list[bool] = []
        download = Download("x", _endless(), 10, None, lambda: closed.append(True), 0.05)
        scope = {"type": "http", "asgi": {"spec_version": "2.4"}, "headers": []}
        sent: list[str] = []

        async def send(message: Message) -> None:
            sent.append(message["type"])
            if message["type"] == "http.response.body":
                await asyncio.Event().wait()

        async def receive_nothing() -> Message:
            await asyncio.Event().wait()
            raise AssertionError

        async with asyncio.timeout(60):
            await DownloadResponse(download, {})(scope, receive_nothing, send)
        assert (closed, sent) == ([True], ["http.response.start", "http.response.body"])

    async def test_only_converted_downloads_hold_a_place(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        form = {"file": ("x", b'{"texts": ["a"]}')}
        query = "name=d&dataType=json/texts"
        made = await client.post(f"/api/mlpcore/account/acme/dataset/raw?{query}", files=form, headers=world.owner)
        contents = dataset_contents(state)
        found: list[float | None] = []
        for data_type in (None, "plain/texts"):
            download = await contents.download(
                principal=SUPERADMIN,
                ref=PathRef(id=world.acme.account_id, name=None),
                dataset_id=made.json()["id"]["datasetId"],
                data_type=data_type,
            )
            found.append(download.seconds)
            assert state.transfers.in_progress == (0 if data_type is None else 1)
            download.close()
        assert found == [None, seconds_of(2)]


async def _endless() -> AsyncIterator[bytes]:
    while True:
        yield b"a"
