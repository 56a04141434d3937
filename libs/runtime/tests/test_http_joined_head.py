"""Tests how the bytes of a response are written."""

import asyncio
from collections.abc import Iterable
from typing import cast

import pytest

from mlplace_runtime.process.http.joined_head import JoinedHead

HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"


class Transport:
    """Records each write as one piece."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed_after: int | None = None
        self.ended_after: int | None = None

    def write(self, data: bytes) -> None:
        self.written.append(bytes(data))

    def writelines(self, pieces: Iterable[bytes]) -> None:
        self.written.append(b"".join(pieces))

    def close(self) -> None:
        self.closed_after = len(self.written)

    def write_eof(self) -> None:
        self.ended_after = len(self.written)

    def is_closing(self) -> bool:
        return self.closed_after is not None

    def get_extra_info(self, name: str) -> str:
        return f"its {name}"


@pytest.fixture
def below() -> Transport:
    return Transport()


@pytest.fixture
async def joined(below: Transport) -> JoinedHead:
    return JoinedHead(cast("asyncio.Transport", below))


async def test_a_head_and_an_immediate_body_are_one_write(below: Transport, joined: JoinedHead) -> None:
    joined.write(HEAD)
    assert below.written == []
    joined.write(b"ok")
    joined.write(b"more")
    await asyncio.sleep(0)
    assert below.written == [HEAD + b"ok", b"more"]


async def test_a_head_alone_is_written_in_the_next_iteration(below: Transport, joined: JoinedHead) -> None:
    joined.write(HEAD)
    await asyncio.sleep(0)
    assert below.written == [HEAD]
    joined.write(b"ok")
    assert below.written == [HEAD, b"ok"]


async def test_close_flushes_the_head(below: Transport, joined: JoinedHead) -> None:
    joined.write(HEAD)
    joined.close()
    await asyncio.sleep(0)
    assert (below.written, below.closed_after) == ([HEAD], 1)
    assert joined.is_closing()


async def test_a_head_for_a_disconnected_caller_is_dropped(below: Transport, joined: JoinedHead) -> None:
    joined.write(HEAD)
    below.close()
    await asyncio.sleep(0)
    assert below.written == []


async def test_consecutive_responses_keep_their_order(below: Transport, joined: JoinedHead) -> None:
    for body in (b"1", b"2"):
        joined.write(HEAD)
        joined.write(body)
    joined.write(HEAD)
    joined.write(HEAD)
    await asyncio.sleep(0)
    assert b"".join(below.written) == HEAD + b"1" + HEAD + b"2" + HEAD + HEAD


async def test_other_attributes_are_those_of_the_transport(joined: JoinedHead) -> None:
    assert joined.get_extra_info("peername") == "its peername"


async def test_nothing_is_written_after_the_end(below: Transport, joined: JoinedHead) -> None:
    """An app may still answer a connection that was refused."""
    joined.write(HEAD)
    joined.write_eof()
    joined.write(HEAD)
    await asyncio.sleep(0)
    joined.write(b"ok")
    assert (below.written, below.ended_after) == ([HEAD], 1)
