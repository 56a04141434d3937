"""Idle instances: `python -m benchmarks.subjects.crowd GATE_PORT`, with a token on each line of stdin.

Prints `ready` when all are connected. Fails when the gate ends a stream.
"""

import asyncio
import sys

import uvloop

from benchmarks.subjects.gate_wire import GateWire, connected

_AT_ONCE = 50


async def main(port: int, tokens: list[str]) -> None:
    room = asyncio.Semaphore(_AT_ONCE)

    async def connect(token: str) -> GateWire:
        async with room:
            return await connected(port, token, lambda *_: None)

    wires = await asyncio.gather(*map(connect, tokens))
    print("ready", flush=True)
    await asyncio.wait([wire.gone for wire in wires], return_when=asyncio.FIRST_COMPLETED)
    raise ConnectionError("the gate has ended the stream of an idle instance")


if __name__ == "__main__":
    lines = iter(sys.stdin.readline, "\n")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1]), [line.strip() for line in lines]))
