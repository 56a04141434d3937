"""A service that answers in parts. The first comes at once or, as the others, when the test lets answers go.

The SDK keeps one part back, because the last one has to say that it is the last: what comes at once are two.
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
