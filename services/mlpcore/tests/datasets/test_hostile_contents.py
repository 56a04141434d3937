"""Contents that are made to take memory, processor time or disk are refused, and the service goes on."""

import asyncio
import io
import tempfile
import zipfile
from collections.abc import AsyncIterator, Generator
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import BinaryIO

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import Message, Receive, Scope, Send

from mlpcore.features.datasets import processing
from mlpcore.features.datasets.errors import DatasetTooLarge
from mlpcore.features.datasets.formats import contents, xlsx_write
from mlpcore.features.datasets.formats.problems import BadContentError
from mlpcore.features.datasets.formats.rows import Row
from mlpcore.features.datasets.processing import Processing, Stored
from mlpcore.state import CoreState
from mlpcore.transfers import Transfers
from mlplace_kit.errors import Unavailable
from mlplace_testing.world import World

from .test_rows import made

SHEET = "xl/worksheets/sheet1.xml"
HEAD = '<row r="1"><c t="inlineStr"><is><t>question</t></is></c><c t="inlineStr"><is><t>answer</t></is></c></row>'


def xlsx(rows: str, **parts: str) -> io.BytesIO:
    """A workbook whose sheet has these rows behind the header."""
    ordinary = io.BytesIO()
    xlsx_write.write_xlsx(("question", "answer"), iter([Row(("a", "b"), 2)]), ordinary)
    changed = io.BytesIO()
    with zipfile.ZipFile(ordinary) as before, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            sheet = f"<worksheet><sheetData>{HEAD}{rows}</sheetData></worksheet>".encode()
            after.writestr(name, sheet if name == SHEET else before.read(name))
        for name, text in parts.items():
            after.writestr(name, text)
    return changed


def many(text: str, number: int, *, shared: str = "") -> io.BytesIO:
    texts = {} if not shared else {"xl/sharedStrings.xml": f"<sst><si><t>{shared}</t></si></sst>"}
    return xlsx(f'<row r="2">{text * number}</row>', **texts)


def padded(size: int) -> io.BytesIO:
    """An archive whose directory has so many bytes at least."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for number in range(size // 60_000 + 1):
            archive.writestr(f"{number}{'a' * 60_000}", b"")
    return content


class TestSheets:
    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (many("<a>", 100_000), "not_xlsx"),
            (many('<c r="A1"><v>1</v></c>', 10_000), "not_xlsx"),
            (xlsx('<row r="2"><c r="C2"><v>1</v></c><c r="A2"><v>2</v></c></row>'), "not_xlsx"),
            (xlsx(f'<row r="2" x="{"a" * 8_000_000}"/>'), "not_xlsx"),
            (many('<c t="s"><v>0</v></c>', 100, shared="a" * 32_000), "record_too_large"),
            (many("<c><v>1</v></c>", 1, shared="a" * 40_000), "cell_too_long"),
            (xlsx('<row r="\u00b2"><c t="s"><v>\u00b2</v></c></row>'), "not_xlsx"),
            (padded(5 * 1024 * 1024), "archive_too_large"),
            (io.BytesIO(b"PK"), "not_xlsx"),
            (xlsx(f'<row r="{"9" * 5000}"><c t="s"><v>{"9" * 5000}</v></c></row>'), "not_xlsx"),
        ],
        ids=[
            "nested",
            "one cell again",
            "out of order",
            "long tag",
            "long row",
            "long cell",
            "digits",
            "directory",
            "no directory",
            "long number",
        ],
    )
    def test_hostile_sheet_is_refused(self, content: io.BytesIO, problem: str) -> None:
        with pytest.raises(BadContentError) as refused:
            contents.check("xlsx/faq", content)
        assert refused.value.problem == problem


class TestNames:
    @pytest.mark.parametrize(
        ("data_type", "content"),
        [
            ("csv/faq", b"question,answer,%b\n1,2,3\n" % (b"a" * 129)),
            ("json/faq", b'{"items": [{"question": "1", "answer": "2", "%b": "3"}]}' % (b"a" * 129)),
        ],
    )
    def test_long_name_of_a_column_is_refused(self, data_type: str, content: bytes) -> None:
        with pytest.raises(BadContentError) as refused:
            contents.check(data_type, io.BytesIO(content))
        assert refused.value.problem == "name_too_long"


@pytest.fixture
def working() -> Processing:
    return Processing(Transfers())


class Files:
    """Temporary files that are closed at the end of the test."""

    def __init__(self, held: ExitStack) -> None:
        self._held = held

    def of(self, content: bytes) -> BinaryIO:
        file = self._held.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  the stack closes it
        file.write(content)
        file.flush()
        return file

    def stored(self, data_type: str, content: bytes) -> Stored:
        return Stored(data_type, None, len(content), file=self.of(content))


@pytest.fixture
def files() -> Generator[Files]:
    with ExitStack() as held:
        yield Files(held)


class TestBounds:
    async def test_memory(self, working: Processing, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
        content = b'{"texts": ["' + b"a" * 900_000 + b'"]}'
        assert (await working.check(1, files.stored("json/texts", content))).rows == 1
        monkeypatch.setattr(processing, "_MEMORY", 16 * 1024 * 1024)
        with pytest.raises(BadContentError) as refused:
            await working.check(1, files.stored("json/texts", content))
        assert refused.value.problem == "too_complex"

    async def test_processor_time(self, working: Processing, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(processing, "_LEAST_SECONDS", 1)
        monkeypatch.setattr(processing, "_BYTES_A_SECOND", 2**60)
        monkeypatch.setattr(processing, "_WAITING_FACTOR", 60)
        deep = b"[" * 190 + b"1," * 300_000 + b"1" + b"]" * 190
        with pytest.raises(BadContentError) as refused:
            await working.check(1, files.stored("json/any", b"[" + b",".join([deep] * 20) + b"]"))
        assert refused.value.problem == "too_complex"

    async def test_written_bytes(self, working: Processing, files: Files) -> None:
        header = ",".join(["question", "answer", *(f"column {number:090}" for number in range(98))])
        content = f"{header}\n{('1' + ',' * 99 + chr(10)) * 100}".encode()
        output, refusal = files.of(b""), DatasetTooLarge(limit="100000")
        with pytest.raises(DatasetTooLarge):
            await working.convert(
                1, files.stored("csv/faq", content), "json/faq", output, most=100_000, refusal=refusal
            )
        assert output.seek(0, io.SEEK_END) <= 100_000

    async def test_store_that_fails_while_it_is_read_is_no_fault_of_the_content(self, working: Processing) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"row\n" * 1000
            raise Unavailable

        content = Stored("plain/texts", None, 2**30, pieces=pieces())
        async with asyncio.timeout(60):
            with pytest.raises(Unavailable):
                await working.check(1, content)

    async def test_program_that_gets_no_processor_is_no_fault_of_the_content(
        self, working: Processing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(processing, "_WAITING_FACTOR", 0.05)

        async def pieces() -> AsyncIterator[bytes]:
            yield b"row\n"
            await asyncio.sleep(60)

        with pytest.raises(Unavailable):
            await working.check(1, Stored("plain/texts", None, 4, pieces=pieces()))

    async def test_program_gets_no_secret_of_the_service(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MLP_MLPCORE_DATABASE_URL", "postgresql://u:hidden@db/x")  # pragma: allowlist secret
        assert "hidden" not in str(processing._environment())

    async def test_page_does_not_wait_behind_checks(self, files: Files) -> None:
        transfers = Transfers()
        async with transfers.turn(1), transfers.turn(2):
            found = await Processing(transfers).page(1, files.stored("plain/texts", b"a\n"), first=0, size=1)
        assert found == [["a"]]

    async def test_rest_of_an_object_is_not_read(self, working: Processing) -> None:
        read = 0

        async def pieces() -> AsyncIterator[bytes]:
            nonlocal read
            while read < 1000:
                read += 1
                yield b"row\n" * 16_384

        content = Stored("plain/texts", None, 2**30, pieces=pieces())
        assert await working.page(1, content, first=1, size=2) == [["row"], ["row"]]
        assert read < 100


class TestAnswers:
    async def test_page_with_too_many_bytes_is_refused(self, client: httpx.AsyncClient, world: World) -> None:
        path, _ = await made(client, world, "plain/texts", (b"a" * 900_000 + b"\n") * 6)
        refused = await client.get(f"{path}/rows?size=6", headers=world.owner)
        assert (refused.status_code, refused.json()["code"]) == (413, "mlp.core.dataset_page_too_large")
        assert len((await client.get(f"{path}/rows?size=4", headers=world.owner)).json()["rows"]) == 4

    async def test_changed_rows_are_bounded_like_uploads(
        self, client: httpx.AsyncClient, world: World, state: CoreState, app: FastAPI
    ) -> None:
        path, _ = await made(client, world, "json/texts", b'{"texts": ["a"]}')
        app.state.service = replace(state, settings=state.settings.model_copy(update={"dataset_bytes": 100}))
        body = {"version": 1, "changes": [], "added": [["a" * 200]]}
        refused = await client.post(f"{path}/rows", json=body, headers=world.owner)
        assert (refused.status_code, refused.json()["code"]) == (413, "mlp.core.dataset_too_large")
        assert (await client.get(f"{path}/content", headers=world.owner)).json() == {"texts": ["a"]}

    async def test_converted_file_holds_its_place_until_it_is_sent(
        self, client: httpx.AsyncClient, world: World, state: CoreState, app: FastAPI
    ) -> None:
        path, _ = await made(client, world, "json/texts", b'{"texts": ["a"]}')
        held: list[int] = []

        async def observed(scope: Scope, receive: Receive, send: Send) -> None:
            async def sent(message: Message) -> None:
                held.append(state.transfers.in_progress)
                await send(message)

            await app(scope, receive, sent)

        async with httpx.AsyncClient(transport=httpx.ASGITransport(observed), base_url="http://testserver") as watched:
            answer = await watched.get(f"{path}/content?type=plain/texts", headers=world.owner)
        assert (answer.content, state.transfers.in_progress) == (b"a\n", 0)
        assert set(held) == {1}
        assert len(held) >= 2

    async def test_caller_who_has_left_keeps_no_place(
        self, client: httpx.AsyncClient, world: World, state: CoreState, app: FastAPI
    ) -> None:
        path, _ = await made(client, world, "json/texts", b'{"texts": ["a"]}')

        async def gone(scope: Scope, receive: Receive, send: Send) -> None:
            async def sent(_: Message) -> None:
                raise OSError("the connection is closed")

            with suppress(Exception):
                await app(scope, receive, sent)
            await send({"type": "http.response.start", "status": 499, "headers": []})
            await send({"type": "http.response.body", "body": b""})

        async with httpx.AsyncClient(transport=httpx.ASGITransport(gone), base_url="http://testserver") as leaving:
            await leaving.get(f"{path}/content?type=plain/texts", headers=world.owner)
        assert state.transfers.in_progress == 0
