"""Commands of an operator on one service, such as `dead-letters`, beside `serve` and `migrate`."""

import argparse
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from mlplace_runtime.db.database import Database
from mlplace_runtime.service import Shared

Say = Callable[[str], None]
"""Prints a line of the answer to the operator."""

_Settings_co = TypeVar("_Settings_co", covariant=True)
_Settings_contra = TypeVar("_Settings_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Opened(Generic[_Settings_co]):
    """What a command works with: the service's own settings and database, and what all services share."""

    settings: _Settings_co
    shared: Shared
    database: Database


@dataclass(frozen=True, slots=True)
class Command(Generic[_Settings_contra]):
    """`run` returns the exit code; it raises CommandRefusedError with the reason that standard error shows."""

    name: str
    help: str
    run: Callable[[Opened[_Settings_contra], argparse.Namespace, Say], Awaitable[int]]
    add_options: Callable[[argparse.ArgumentParser], None] = lambda _: None
