"""`python killed_start.py POINT ARGUMENTS...` runs the platform and kills it with SIGKILL at a point of its start.

A point is KIND:NAME:COUNT. The platform is killed at the COUNT-th time when: a file of this name is about to be renamed
to its place (`rename`), a folder is about to be created (`mkdir`), a program is about to be started (`program`), a
folder of this name has appeared beside the databases (`appears`), or an SQL statement or a function has completed
(`sql`, `call`).
"""

import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class _Countdown:
    def __init__(self, count: int) -> None:
        self._left = count

    def __call__(self) -> None:
        self._left -= 1
        if self._left == 0:
            _die()


def _at_event(kind: str, name: str, came: Callable[[], None]) -> None:
    events = {"rename": ("os.rename", 1), "mkdir": ("os.mkdir", 0), "program": ("subprocess.Popen", 1)}
    event, position = events[kind]

    def hook(happened: str, arguments: tuple[Any, ...]) -> None:
        if happened == event and name in str(arguments[position]):
            came()

    sys.addaudithook(hook)


def _after_sql(text: str, came: Callable[[], None]) -> None:
    original: Any = asyncpg.Connection.execute

    async def execute(connection: Any, query: str, *arguments: Any, **options: Any) -> Any:
        answer = await original(connection, query, *arguments, **options)
        if query.startswith(text):
            came()
        return answer

    setattr(asyncpg.Connection, "execute", execute)  # noqa: B010  its type does not allow the assignment


def _after_call(name: str, came: Callable[[], None]) -> None:
    """`name` is module.function, or module.class.function of a coroutine."""
    module, *parts = name.split("/")
    holder: Any = importlib.import_module(module)
    for part in parts[:-1]:
        holder = getattr(holder, part)
    original = getattr(holder, parts[-1])

    async def awaited(*arguments: Any, **options: Any) -> Any:
        answer = await original(*arguments, **options)
        came()
        return answer

    def plain(*arguments: Any, **options: Any) -> Any:
        answer = original(*arguments, **options)
        came()
        return answer

    setattr(holder, parts[-1], plain if holder.__name__ == module else awaited)


def _when_it_appears(pattern: str, folder: Path) -> None:
    def look() -> None:
        while not list(folder.glob(pattern)):
            time.sleep(0.005)
        _die()

    threading.Thread(target=look, daemon=True).start()


def main() -> int:
    kind, name, count = sys.argv[1].split(":")
    arguments = sys.argv[2:]
    came = _Countdown(int(count))
    if kind == "appears":
        _when_it_appears(name, Path(arguments[arguments.index("--data-dir") + 1]))
    elif kind == "sql":
        _after_sql(name, came)
    elif kind == "call":
        _after_call(name, came)
    else:
        _at_event(kind, name, came)
    from standalone.cli import main as run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
