"""The model that the tests call: it answers in the requested number of parts, and records the requests.

It also records how many parts of an answer with a `size` it has produced, and which calls were cancelled.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

from pydantic import BaseModel

import mlplace


class Question(BaseModel):
    number: int
    milliseconds: int = 0
    parts: int = 1
    size: int = 0


class Reply(BaseModel):
    number: int
    part: int
    filling: str = ""


def write_down(number: int, suffix: str = "") -> None:
    with Path(os.environ["ASKED"] + suffix).open("a") as asked:
        asked.write(f"{number}\n")


async def answer(data: Question) -> AsyncIterator[Reply]:
    write_down(data.number)
    filling = "x" * data.size
    try:
        for part in range(data.parts):
            await asyncio.sleep(data.milliseconds / 1000)
            if filling:
                write_down(part, ".made")
            yield Reply(number=data.number, part=part, filling=filling)
    except (asyncio.CancelledError, GeneratorExit):
        write_down(data.number, ".cancelled")
        raise


if __name__ == "__main__":
    mlplace.serve(answer)
