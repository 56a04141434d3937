"""Entries to write into the statistics log, and which ones to read."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry about a model of the account."""

    account_id: int
    model_id: int
    message: str
    args: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class GroupEntries:
    """Entries about a resource group of the account. `codes`: only these; `without`: not these; `node`: of a server."""

    account_id: int
    group: str
    codes: Collection[str] = ()
    without: Collection[str] = ()
    node: str | None = None
    since: datetime | None = None
