"""The all-in-one platform, with a signal that makes it write its internal counts to a file.

`python -m tests.soak.launcher PORT DATA_FOLDER`.
`SOAK_COUNTS` names the file, SIGUSR1 requests the counts. `SOAK_LEAK` makes it leak ten times a second, so that a run
must fail: `memory`, `tasks`, `files` or `sessions`.
"""

import asyncio
import contextlib
import gc
import json
import os
import signal
import sys
import threading
from collections.abc import AsyncGenerator
from pathlib import Path

import uvloop

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.telemetry.logs import configure_logs
from standalone.data_folder import DataFolder
from standalone.settings import StandaloneSettings
from standalone.starting import run_platform

_TURN_SECONDS = 0.1


async def _with_counts(settings: StandaloneSettings, folder: DataFolder) -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, _write_counts)
    async with _leaking(os.environ.get("SOAK_LEAK", ""), folder):
        await run_platform(settings, folder, say=lambda line: print(line, flush=True))


def _write_counts() -> None:
    gc.collect()
    names = sorted(getattr(task.get_coro(), "__qualname__", "?") for task in asyncio.all_tasks())
    counts = {"tasks": len(names), "threads": threading.active_count(), "names": names}
    path = Path(os.environ["SOAK_COUNTS"])
    path.with_suffix(".new").write_text(json.dumps(counts))
    path.with_suffix(".new").replace(path)


@contextlib.asynccontextmanager
async def _leaking(kind: str, folder: DataFolder) -> AsyncGenerator[None]:
    lost: list[object] = []

    async def lose() -> None:
        while True:
            await asyncio.sleep(_TURN_SECONDS)
            lost.append(await _lost(kind, folder, len(lost)))

    leak = asyncio.create_task(lose()) if kind else None
    try:
        yield
    finally:
        if leak:
            leak.cancel()


async def _lost(kind: str, folder: DataFolder, so_far: int) -> object:
    match kind:
        case "memory":
            return os.urandom(100_000)
        case "tasks":
            return asyncio.create_task(asyncio.Event().wait())
        case "files":
            return os.open(os.devnull, os.O_RDONLY)
        case "sessions" if so_far % 20 == 0:
            import asyncpg

            try:
                return await asyncpg.connect(EmbeddedPostgres(folder.postgres).admin_dsn())
            except (OSError, RuntimeError, asyncpg.PostgresError):
                return None
        case _:
            return None


def main(port: int, data: Path) -> None:
    settings = StandaloneSettings(port=port, data_dir=data)
    folder = DataFolder(data)
    folder.prepare()
    with folder.locked(), (folder.root / "platform.log").open("a") as log:
        configure_logs(level=settings.log_level, stream=log)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_with_counts(settings, folder))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
