"""How soon a deleted key loses what it had: streams that it opened end, and its next call is refused."""

import asyncio
import time
from collections.abc import Sequence

import httpx

from benchmarks.content import CALLER, Content, new_key, signed_in
from benchmarks.figures.rounds import Figure, Size, Subject, from_values
from benchmarks.platform_stack import Stack, wait
from benchmarks.talkers import Talker, talking

STREAMS, CALLS = "the last of its streams ends", "the next call is refused"
STREAMS_OF_A_KEY = 8
_KEYS_OF_ROUND = 4
_PACE_MS, _FRAMES = 20, 3000  # a minute: far longer than a stream may go on
_LONGEST_SECONDS = 60.0
_LOOK_SECONDS = 0.01
_LOOKS_SECONDS = 1.0
_REFUSAL = b'"status":401'


def measure(stack: Stack, content: Content, size: Size) -> Figure:
    """`ms`: from mlpcore's answer to the deletion of the key until the last of its streams has ended.

    The event takes the way through outbox and bus. Gates look once a second whether streams may go on; the deletions
    are spread over this second.
    """
    gate = stack.services["mlpgateway"]
    with talking(
        stack, content, "revoked", [(gate, stack.gate_port)], frames=_FRAMES, pace_ms=_PACE_MS, queued=False
    ) as talker:
        found = wait(_revoked(stack, content, talker, keys=size.of(size.rounds * _KEYS_OF_ROUND)))
    rows = [from_values(name, STREAMS_OF_A_KEY if name == STREAMS else 1, {"ms": ms}) for name, ms in found.items()]
    return Figure("revocation", rows)


async def _revoked(stack: Stack, content: Content, talker: Talker, *, keys: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {STREAMS: [], CALLS: []}
    gate = stack.services["mlpgateway"]
    async with signed_in(stack, CALLER) as owner, httpx.AsyncClient(base_url=gate.url, timeout=60) as caller:
        for number in range(keys):
            key = await new_key(owner, content.caller_id)
            events = Talker(talker.name, key, talker.frames).events("revoked", gate)
            begun = [asyncio.Event() for _ in range(STREAMS_OF_A_KEY)]
            reading = [asyncio.create_task(_end_of_stream(caller, events, event)) for event in begun]
            await asyncio.wait_for(_all_begun(begun, reading), _LONGEST_SECONDS)
            await asyncio.sleep(_LOOKS_SECONDS * number / keys)
            _require_running(reading)
            path = f"/api/mlpcore/account/{content.caller_id}/token/{key.split('.')[1]}"
            (await owner.delete(path)).raise_for_status()
            deleted = time.monotonic()
            refused = asyncio.create_task(_refused(caller, content, key))
            ends = await asyncio.wait_for(asyncio.gather(*reading), _LONGEST_SECONDS)
            found[STREAMS].append((max(ends) - deleted) * 1000)
            found[CALLS].append((await asyncio.wait_for(refused, _LONGEST_SECONDS) - deleted) * 1000)
    return found


async def _all_begun(begun: Sequence[asyncio.Event], reading: Sequence["asyncio.Task[float]"]) -> None:
    """Raises RuntimeError if a stream ends instead."""
    waiting = asyncio.gather(*(event.wait() for event in begun))
    await asyncio.wait([waiting, *reading], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    _require_running(reading)


def _require_running(reading: Sequence["asyncio.Task[float]"]) -> None:
    if any(task.done() for task in reading):
        raise RuntimeError("a stream ended before its key was deleted")


async def _end_of_stream(caller: httpx.AsyncClient, events: Subject, begun: asyncio.Event) -> float:
    async with caller.stream("POST", events.paths[0], content=events.json_body, headers=events.headers) as answer:
        answer.raise_for_status()
        told = b""
        async for part in answer.aiter_bytes():
            begun.set()
            told = part
    ended = time.monotonic()
    if _REFUSAL not in told:
        raise RuntimeError(f"a stream ended otherwise: {told[-300:]!r}")
    return ended


async def _refused(caller: httpx.AsyncClient, content: Content, key: str) -> float:
    while True:
        answer = await caller.post(content.call_path, content="{}", headers={"MLP-API-KEY": key})
        if answer.status_code == httpx.codes.UNAUTHORIZED:
            return time.monotonic()
        await asyncio.sleep(_LOOK_SECONDS)
