"""Large bodies read by another process: the result equals reading in the gate, and the text is not copied."""

import signal
from collections.abc import AsyncGenerator

import psutil
import pytest

from mlpgateway.call.json_bodies import (
    Read,
    read_data,
    read_method,
    read_predict,
    read_with_config,
    read_with_config_as_text,
)
from mlpgateway.call.large_json import LARGE_BYTES, LargeText
from mlpgateway.entry.large_bodies.memory import SharedBody, place_within
from mlpgateway.entry.large_bodies.reader import LargeBodyReader
from mlplace_kit.errors import DomainError, ValidationFailed

_READS = 20
TEXT = "я" * LARGE_BYTES
BODIES: list[tuple[Read, str]] = [
    (read_predict, f'{{"text": "{TEXT}"}}'),
    (read_predict, f'["{TEXT}", 1, null]'),
    (read_with_config, f'{{"data": {{"text": "{TEXT}"}}, "config": {{"a": 1}}, "dataType": "x"}}'),
    (read_with_config, f'{{"config": "{TEXT}", "data": "{TEXT}"}}'),
    (read_with_config_as_text, f'{{"data": "\\"{TEXT}\\"", "config": "{{}}"}}'),
    (read_method, f'{{"methodName": "m", "params": {{"a": "{TEXT}", "b": "1"}}}}'),
    (read_predict, f'\ufeff{{"text": "{TEXT}"}}'),
    (read_with_config, f'\ufeff{{"data": "{TEXT}"}}'),
    (read_method, f'\ufeff{{"methodName": "m", "params": {{"a": "{TEXT}"}}}}'),
]
REFUSED: list[tuple[Read, bytes]] = [
    (read_predict, b"[" * LARGE_BYTES),
    (read_predict, b'"' + b"\xff" * LARGE_BYTES + b'"'),
    (read_predict, b'"' + b"\\ud800" * (LARGE_BYTES // 6 + 1) + b'"'),
    (read_with_config, b'{"date": "' + b"a" * LARGE_BYTES + b'"}'),
    (read_with_config_as_text, b'{"data": "{' + b"a" * LARGE_BYTES + b'"}'),
    (read_method, b'{"methodName": "m", "params": {' + b",".join(b'"%d":""' % at for at in range(500_000)) + b"}}"),
    (read_method, b'{"methodName": "", "params": {"a": "' + b"a" * LARGE_BYTES + b'"}}'),
]


def _shared(text: bytes) -> SharedBody:
    body = SharedBody(len(text) + 1000)
    for at in range(0, len(text), 65536):
        body.extend(text[at : at + 65536])
    return body


def _process(reader: LargeBodyReader) -> psutil.Process:
    assert reader.pid is not None
    return psutil.Process(reader.pid)


@pytest.fixture
async def reader() -> AsyncGenerator[LargeBodyReader]:
    made = LargeBodyReader()
    yield made
    pid = made.pid
    await made.close()
    assert pid is None or not psutil.pid_exists(pid)


class TestRead:
    @pytest.mark.parametrize(("read", "text"), BODIES)
    async def test_result_equals_reading_in_the_gate(self, reader: LargeBodyReader, read: Read, text: str) -> None:
        body = text.encode()
        found, expected = await reader.read(read, _shared(body), b""), read(body, b"")
        for mine, theirs in ((found.data, expected.data), (found.config, expected.config)):
            assert (mine is None) is (theirs is None)
            if mine is not None and theirs is not None:
                assert (mine.json, mine.data_type) == (theirs.json, theirs.data_type)
        assert {name: value.json for name, value in found.params.items()} == {
            name: value.json for name, value in expected.params.items()
        }
        assert (found.operation, found.method_name) == (expected.operation, expected.method_name)

    @pytest.mark.parametrize(("read", "body"), REFUSED)
    async def test_refusals_equal_reading_in_the_gate(self, reader: LargeBodyReader, read: Read, body: bytes) -> None:
        with pytest.raises(DomainError) as here:
            read(body, b"")
        with pytest.raises(DomainError) as there:
            await reader.read(read, _shared(body), b"")
        assert (there.value.code, there.value.text) == (here.value.code, here.value.text)

    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    async def test_text_in_other_memory_stays_there(self, reader: LargeBodyReader, mark: str) -> None:
        text = memoryview(f'{mark}"{TEXT}"'.encode())
        found = await reader.read_copy(read_data, text)
        assert isinstance(found.data, LargeText)
        assert found.data.json == f'"{TEXT}"'
        assert place_within(found.data.source.view, text) == len(mark.encode())

    @pytest.mark.parametrize(
        "text", [b"[" * LARGE_BYTES, b'"' + b"\xff" * LARGE_BYTES + b'"', b"[1]" + b" " * LARGE_BYTES + b"2"]
    )
    async def test_refusal_of_a_text_in_other_memory_names_its_field(
        self, reader: LargeBodyReader, text: bytes
    ) -> None:
        with pytest.raises(ValidationFailed) as refusal:
            await reader.read_copy(read_data, memoryview(text))
        assert list(refusal.value.violations) == ["data"]

    async def test_millions_of_fields_are_refused_before_parsing(self, reader: LargeBodyReader) -> None:
        await reader.read(read_predict, _shared(b'"' + b"a" * LARGE_BYTES + b'"'), b"")
        process = _process(reader)
        before = process.memory_info().rss
        body = _shared(b"{" + b",".join(b'"%d" : 0' % place for place in range(1_500_000)) + b"}")
        with pytest.raises(ValidationFailed):
            await reader.fields(body)
        assert process.is_running()
        assert process.memory_info().rss - before < 2 * len(body)

    async def test_text_is_not_copied(self, reader: LargeBodyReader) -> None:
        body = _shared(b'{"data": "' + b"a" * LARGE_BYTES + b'"}')
        found = await reader.read(read_with_config, body, b"")
        assert isinstance(found.data, LargeText)
        assert place_within(found.data.source.view, body.view) == len('{"data": ')

    async def test_text_outlives_the_body(self, reader: LargeBodyReader) -> None:
        body = _shared(b'"' + b"a" * LARGE_BYTES + b'"')
        found = await reader.read(read_predict, body, b"")
        body.detach()
        del body
        assert found.data is not None
        assert found.data.json == f'"{"a" * LARGE_BYTES}"'

    async def test_body_is_read_again_after_the_process_was_killed(self, reader: LargeBodyReader) -> None:
        text = b'"' + b"a" * LARGE_BYTES + b'"'
        await reader.read(read_predict, _shared(text), b"")
        _process(reader).send_signal(signal.SIGKILL)
        assert (await reader.read(read_predict, _shared(text), b"dataType=t")).data is not None

    async def test_no_descriptor_stays_open(self, reader: LargeBodyReader) -> None:
        text = b'"' + b"a" * LARGE_BYTES + b'"'
        await reader.read(read_predict, _shared(text), b"")
        before = psutil.Process().num_fds()
        theirs = _process(reader).num_fds()
        for _ in range(_READS):
            await reader.read(read_predict, _shared(text), b"")
        # Other parts of this process may open a few descriptors meanwhile.
        assert psutil.Process().num_fds() - before < _READS
        assert _process(reader).num_fds() <= theirs


class TestSharedBody:
    def test_memory_is_used_only_for_what_has_arrived(self) -> None:
        before = psutil.Process().memory_info().rss
        body = SharedBody(512 * 1024 * 1024)
        body.extend(b"a")
        assert psutil.Process().memory_info().rss - before < 64 * 1024 * 1024
        assert bytes(body.view) == b"a"

    def test_memory_outside_the_body_has_no_position(self) -> None:
        assert place_within(memoryview(b"abc"), memoryview(b"xyz" * 100)) is None
