"""Metrics that are looked up at the moment when somebody asks, in the text format of Prometheus.

An installation may have hundreds of thousands of series, and the process serves calls meanwhile: the text is written on
the event loop in pieces of less than a millisecond. A thread would keep the loop waiting for the interpreter's lock,
and the client library's own writer takes ten times as long.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from fastapi import Response
from starlette.responses import StreamingResponse

_CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPES: Final = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})
_LINES: Final = 500
Buckets = Sequence[tuple[str, int]]
"""Upper bounds, ascending, each with the number of values up to it."""
Pieces = Iterator[str]
"""Parts of the text. An empty one is a pause."""


def labels(values: Mapping[str, str]) -> str:
    """Returns the labels of a series as text, for all its metrics."""
    return ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in values.items())


def family(
    name: str, kind: Literal["gauge", "counter"], text: str, series: Iterable[tuple[str, float | None]]
) -> Pieces:
    """A metric with one line for each series: its labels and its value. A value that is None has none."""
    return _pieces(name, kind, text, (f"{name}{{{of}}} {value!r}\n" for of, value in series if value is not None))


def histogram(name: str, text: str, series: Iterable[tuple[str, Buckets, float]]) -> Pieces:
    """`series`: labels, the buckets with the last one `+Inf`, and the sum of all values."""
    return _pieces(name, "histogram", text, _lines_of(name, series))


def _lines_of(name: str, series: Iterable[tuple[str, Buckets, float]]) -> Iterator[str]:
    for of, buckets, total in series:
        for bound, count in buckets:
            yield f'{name}_bucket{{{of},le="{bound}"}} {count}\n'
        yield f"{name}_sum{{{of}}} {total!r}\n"
        yield f"{name}_count{{{of}}} {buckets[-1][1]}\n"


def _pieces(name: str, kind: str, text: str, lines: Iterable[str]) -> Pieces:
    piece = [f"# HELP {name} {text}\n# TYPE {name} {kind}\n"]
    for line in lines:
        piece.append(line)
        if len(piece) >= _LINES:
            yield "".join(piece)
            piece.clear()
    yield "".join(piece)


def text_response(pieces: Pieces) -> Response:
    """Answers with the pieces, one after the other; a reader that leaves ends it."""
    return StreamingResponse(_one_by_one(pieces), headers={"Content-Type": _CONTENT_TYPE})


async def _one_by_one(pieces: Pieces) -> AsyncIterator[bytes]:
    for piece in pieces:
        if piece:
            yield piece.encode()
        await asyncio.sleep(0)
