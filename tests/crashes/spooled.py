"""What gates have written to their usage spools, as whoever looks at their disks finds it."""

from collections.abc import Iterable
from pathlib import Path

from mlpgateway.usage.frames import HEADER, frames_in
from mlplace_runtime.bus.port import Record


def records_in(segments: Iterable[Path]) -> list[Record]:
    """Shipped or not: files are kept until they are full or their lane is done."""
    files = (path.read_bytes() for path in segments)
    return [record for data in files for record in frames_in(data[len(HEADER) :], most=10**6).records]
