"""Reads the usage spools of gates from their disks."""

from collections.abc import Iterable
from pathlib import Path

from mlpgateway.usage.frames import HEADER, frames_in
from mlplace_runtime.bus.port import Record


def records_in(segments: Iterable[Path]) -> list[Record]:
    """Shipped or not: files stay until they are full or their process log is finished."""
    files = (path.read_bytes() for path in segments)
    return [record for data in files for record in frames_in(data[len(HEADER) :], most=10**6).records]
