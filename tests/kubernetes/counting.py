"""A model that streams numbers, one in a quarter of a second. Runs outside the cluster, as a model's author would."""

import time
from collections.abc import Iterator

from pydantic import BaseModel

import mlplace

_PAUSE_SECONDS = 0.25


class Wanted(BaseModel):
    count: int


class Number(BaseModel):
    number: int


def count(data: Wanted) -> Iterator[Number]:
    for number in range(data.count):
        time.sleep(_PAUSE_SECONDS)
        yield Number(number=number)


if __name__ == "__main__":
    mlplace.serve(count)
