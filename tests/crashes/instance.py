"""The model that the tests call: it answers after the requested time, and records the requests that it began."""

import asyncio
import os
from pathlib import Path

from pydantic import BaseModel

import mlplace


class Question(BaseModel):
    number: int
    milliseconds: int = 0
    held: bool = False


class Reply(BaseModel):
    number: int


def write_down(*numbers: int) -> None:
    lines = "".join(f"{os.environ['ASKED_AS']} {number}\n" for number in numbers)
    with Path(os.environ["ASKED"]).open("a") as asked:
        asked.write(lines)


async def released() -> None:
    """Wait until the test releases answers."""
    while not Path(os.environ["RELEASED"]).exists():  # noqa: ASYNC110, ASYNC240  the test can only set a file
        await asyncio.sleep(0.02)


async def answer(data: Question) -> Reply:
    write_down(data.number)
    await asyncio.sleep(data.milliseconds / 1000)
    if data.held:
        await released()
    return Reply(number=data.number)


async def answer_many(data: list[Question]) -> list[Reply]:
    write_down(*(question.number for question in data))
    await released()
    return [Reply(number=question.number) for question in data]


if __name__ == "__main__":
    mlplace.serve(mlplace.Service(answer, predict_batch=answer_many))
