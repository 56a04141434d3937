"""The service that the tests call: it answers in as many parts as it is asked for, and writes down what it was asked."""

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


class Reply(BaseModel):
    number: int
    part: int


def write_down(number: int) -> None:
    with Path(os.environ["ASKED"]).open("a") as asked:
        asked.write(f"{number}\n")


async def answer(data: Question) -> AsyncIterator[Reply]:
    write_down(data.number)
    for part in range(data.parts):
        await asyncio.sleep(data.milliseconds / 1000)
        yield Reply(number=data.number, part=part)


if __name__ == "__main__":
    mlplace.serve(answer)
