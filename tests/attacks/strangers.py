"""Attacks of unauthenticated clients over HTTP. It uses only the standard library, so it also runs in a bare container.

`python strangers.py ATTACK HOST PORT` prints `ready`, and after a line on its standard input the result of the attack
as a JSON object. Short attacks are repeated for a few seconds.
"""

import asyncio
import collections
import contextlib
import json
import sys
import time
from collections.abc import Callable, Coroutine, Iterable

_PART = b"a" * 65536
_MIB = 1024 * 1024
_ENDLESS = 64 * _MIB
_SECONDS = 6.0
_LEAST_SECONDS = 5.0
_PAUSE_SECONDS = 0.2
_LONGER_THAN_A_HEAD_MAY_TAKE = 13.0

Outcome = dict[str, object]


async def endless_heads(host: str, port: int) -> Outcome:
    """Eight connections, each with a header of 64 MiB."""

    async def one() -> tuple[int, int]:
        reader, writer = await asyncio.open_connection(host, port)
        sent = 0
        with contextlib.suppress(ConnectionError, TimeoutError):
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Endless: ")
            while sent < _ENDLESS:
                writer.write(_PART)
                async with asyncio.timeout(_SECONDS):
                    await writer.drain()
                sent += len(_PART)
        return await _status(reader, writer), sent

    found = await asyncio.gather(*(one() for _ in range(8)))
    return {"statuses": _counted(status for status, _ in found), "sent": max(sent for _, sent in found)}


async def slow_heads(host: str, port: int) -> Outcome:
    """1300 connections that send their headers byte by byte."""
    writers: list[asyncio.StreamWriter] = []

    async def one() -> None:
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(_SECONDS):
                _, writer = await asyncio.open_connection(host, port)
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            writers.append(writer)

    await asyncio.gather(*(one() for _ in range(1300)))
    ends = time.monotonic() + _LONGER_THAN_A_HEAD_MAY_TAKE
    while time.monotonic() < ends:
        for writer in writers:
            if not writer.is_closing():
                writer.write(b"a")
        await asyncio.sleep(0.5)
    open_still = sum(not writer.is_closing() for writer in writers)
    for writer in writers:
        writer.close()
    return {"opened": len(writers), "open": open_still}


async def unfinished_bodies(host: str, port: int) -> Outcome:
    """Eight requests without a key that announce 99 MB, send 64 bytes and wait."""

    async def one() -> int:
        reader, writer = await asyncio.open_connection(host, port)
        with contextlib.suppress(ConnectionError, TimeoutError):
            writer.write(_head("POST", "/api/mlpgateway/account/acme/model/greeting/predict", 99_000_000) + b'{"a": "')
            for _ in range(64):
                writer.write(b"x" * _MIB)
                async with asyncio.timeout(_SECONDS):
                    await writer.drain()
        return await _status(reader, writer)

    return {"statuses": _counted(await asyncio.gather(*(one() for _ in range(8))))}


async def slow_bodies(host: str, port: int) -> Outcome:
    """300 requests without a key that send their bodies byte by byte."""

    async def one() -> int:
        try:
            async with asyncio.timeout(_SECONDS):
                reader, writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError):
            return 0
        writer.write(_head("POST", "/api/accountsadmin/c/authorization/login", 1000))
        ends = time.monotonic() + _SECONDS
        with contextlib.suppress(ConnectionError):
            while time.monotonic() < ends and not writer.is_closing():
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.5)
        return await _status(reader, writer, seconds=0.1)

    return {"statuses": _counted(await asyncio.gather(*(one() for _ in range(300))))}


async def garbage(host: str, port: int) -> Outcome:
    """Data that is not an HTTP request."""
    said = (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"a: b\r\n" * 20_000 + b"\r\n",
    )

    async def one(data: bytes) -> int:
        reader, writer = await asyncio.open_connection(host, port)
        with contextlib.suppress(ConnectionError):
            writer.write(data)
            await writer.drain()
        return await _status(reader, writer)

    return {"statuses": _counted([await one(data) for data in said])}


ATTACKS: dict[str, Callable[[str, int], Coroutine[object, object, Outcome]]] = {
    attack.__name__: attack for attack in (endless_heads, slow_heads, unfinished_bodies, slow_bodies, garbage)
}


def _head(method: str, target: str, length: int) -> bytes:
    lines = ("Content-Type: application/json", f"Content-Length: {length}")
    return "\r\n".join((f"{method} {target} HTTP/1.1", "Host: localhost", *lines, "", "")).encode()


async def _status(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, seconds: float = 10.0) -> int:
    """The status of the answer; 0 if the connection ended without one, -1 if it stays open without one."""
    heard = b""
    try:
        async with asyncio.timeout(seconds):
            while b"\r\n" not in heard and (part := await reader.read(4096)):
                heard += part
    except TimeoutError:
        return -1
    except ConnectionError:
        pass
    finally:
        writer.close()
    words = heard.split(b" ", 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


def _counted(statuses: Iterable[int]) -> dict[str, int]:
    return {str(status): number for status, number in collections.Counter(statuses).items()}


async def _again_and_again(attack: Callable[[str, int], Coroutine[object, object, Outcome]]) -> Outcome:
    """Repeat the attack; returns the outcome with the most kinds of answers."""
    host, port, ends = sys.argv[2], int(sys.argv[3]), time.monotonic() + _LEAST_SECONDS
    outcomes = [await attack(host, port)]
    while time.monotonic() < ends:
        await asyncio.sleep(_PAUSE_SECONDS)
        outcomes.append(await attack(host, port))
    return max(outcomes, key=lambda outcome: len(str(outcome)))


if __name__ == "__main__":
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(json.dumps(asyncio.run(_again_and_again(ATTACKS[sys.argv[1]]))))
