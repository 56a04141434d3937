"""A model that answers in parts. The first part comes at once, or like the others when the test releases answers.

The SDK holds back one part, since it must mark the last one; so two parts are ready at once.
"""

from collections.abc import AsyncIterator

from pydantic import BaseModel

import mlplace
from tests.crashes.instance import released, write_down


class Question(BaseModel):
    number: int
    parts: int
    silent: bool = False


class Part(BaseModel):
    number: int
    part: int


async def talk(data: Question) -> AsyncIterator[Part]:
    write_down(data.number)
    for part in range(data.parts):
        if part > 1 or data.silent:
            await released()
        yield Part(number=data.number, part=part)


if __name__ == "__main__":
    mlplace.serve(talk)
