"""Bounds of the waiting calls."""

from dataclasses import dataclass

from mlpgateway.shares.room import EVERYTHING
from mlpgateway.shares.share import Fractions


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of the waiting calls and their bytes, per model and per gate.

    `woken_concurrency` is the concurrency of an instance for the calls that waited for its start, when the model sets
    none. `fractions` is the share of each bound that one account may use.
    """

    calls_per_model: int = 1000
    bytes_per_model: int = 64 * 1024 * 1024
    calls: int = 10_000
    size: int = 256 * 1024 * 1024
    woken_concurrency: int = 10
    ageing_seconds: float = 10.0
    fractions: Fractions = EVERYTHING
