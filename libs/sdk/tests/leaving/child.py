"""A process of a caller: `python -m libs.sdk.tests.leaving.child URL ADDRESS METHOD...`.

With one method, it survives Ctrl-C, says so, and ends when it has read a line. With several, it calls all of them and
ends when it has read a line, while they still wait.
"""

import asyncio
import signal
import sys
import threading
from collections.abc import Sequence

from libs.sdk.tests.leaving.methods import BLOCKING, Leaver


async def _read_all(leavers: Sequence[Leaver]) -> None:
    tasks: list[asyncio.Task[None]] = []
    for leaver in leavers:
        if leaver.name in BLOCKING:
            threading.Thread(target=leaver.read, daemon=True).start()
        else:
            tasks.append(asyncio.create_task(leaver.read_async()))
    await asyncio.to_thread(sys.stdin.readline)


def _read_until_interrupted(leaver: Leaver) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # some shells let their children ignore it
    try:
        if leaver.name in BLOCKING:
            leaver.read()
        else:
            asyncio.run(leaver.read_async())
    except KeyboardInterrupt:
        sys.stdout.write("interrupted\n")
        sys.stdout.flush()
    sys.stdin.readline()


def main(url: str, address: str, *names: str) -> None:
    if len(names) == 1:
        _read_until_interrupted(Leaver(names[0], url, address))
    else:
        asyncio.run(_read_all([Leaver(name, url, address) for name in names]))


if __name__ == "__main__":
    main(*sys.argv[1:])
