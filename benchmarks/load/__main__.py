"""A load generator process: reads orders from standard input and writes outcomes to standard output."""

import asyncio
import json
import sys
from dataclasses import asdict

import uvloop

from benchmarks.load import over_grpc, over_http, over_sse
from benchmarks.load.requests import Order, Outcome
from benchmarks.load.window import Window

_KINDS = {"http": over_http.load, "sse": over_sse.load, "gate": over_grpc.load}


async def fulfil(order: Order) -> Outcome:
    window = Window(order)
    await _KINDS[order.kind](order, window)
    return window.outcome


def main() -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        for line in sys.stdin:
            outcome = runner.run(fulfil(Order(**json.loads(line))))
            print(json.dumps(asdict(outcome)), flush=True)


if __name__ == "__main__":
    main()
