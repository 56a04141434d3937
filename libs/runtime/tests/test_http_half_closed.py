"""Callers that close their sending side before they have their answer: docs/http.md says why they count as gone."""

import asyncio

from mlplace_testing.raw_http import served
from mlplace_testing.waiting import eventually


async def test_work_for_them_stops() -> None:
    async with served() as server, server.caller() as caller:
        caller.say(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        async with asyncio.timeout(60):
            await caller.reader.readuntil(b"\r\n\r\n")
        caller.writer.write_eof()

        async def ended() -> list[str]:
            return server.app.ended

        assert await eventually(ended) == ["endless"]
