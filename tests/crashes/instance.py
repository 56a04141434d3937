"""The service that the proofs call: it answers after the time that it is asked to take."""

import asyncio

from pydantic import BaseModel

import mlplace


class Question(BaseModel):
    number: int
    milliseconds: int = 0


class Reply(BaseModel):
    number: int


async def answer(data: Question) -> Reply:
    await asyncio.sleep(data.milliseconds / 1000)
    return Reply(number=data.number)


if __name__ == "__main__":
    mlplace.serve(answer)
