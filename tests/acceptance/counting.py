"""A service that counts and then raises, or waits until its caller leaves. It notes that in the file COUNTING_LEFT."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

import mlplace

LEFT = Path(os.environ["COUNTING_LEFT"])


class Wanted(BaseModel):
    then: Literal["raise", "wait"]


def note_leaving() -> None:
    with LEFT.open("a") as notes:
        notes.write("left\n")


async def count(data: Wanted) -> AsyncIterator[int]:
    """Yields 0, 1 and 2. A part is sent when the next one, or an error, comes."""
    for number in range(3):
        yield number
    if data.then == "raise":
        raise mlplace.MlpError("counting.enough", "that is enough", status=409)
    try:
        await asyncio.Event().wait()
    finally:
        note_leaving()


if __name__ == "__main__":
    mlplace.serve(count)
