"""Passes to the page of one service, for the account that views it. mlpcore makes them, gates check them, nobody stores
them.

A pass is part of the address of a page that runs in a sandbox and therefore has no session. It is signed, expires, and
opens only that service.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self

from mlplace_kit.credentials import KeyedHasher

PREFIX: Final = "page-"
SECONDS: Final = 3600
_FORM: Final = re.compile(r"page-(\d{1,18})-(\d{1,18})-(\d{1,18})-(\d{1,11})-([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PagePass:
    """`account_id` views the page and pays; `owner_id` owns the service. `expires_at` is in Unix seconds."""

    account_id: int
    owner_id: int
    model_id: int
    expires_at: int

    @classmethod
    def until(cls, now: datetime, *, account_id: int, owner_id: int, model_id: int) -> Self:
        """Returns a pass that is valid for an hour."""
        return cls(account_id, owner_id, model_id, int(now.timestamp()) + SECONDS)

    def signed(self, hasher: KeyedHasher) -> str:
        text = f"{PREFIX}{self.account_id}-{self.owner_id}-{self.model_id}-{self.expires_at}"
        return f"{text}-{hasher.digest(text)}"

    @classmethod
    def read(cls, text: str, hasher: KeyedHasher, now: datetime) -> Self | None:
        """Returns None for a pass that this installation did not sign, or that has expired."""
        found = _FORM.fullmatch(text)
        if found is None or not hasher.matches(text.rpartition("-")[0], found[5]):
            return None
        made = cls(*(int(found[place]) for place in range(1, 5)))
        return made if now.timestamp() < made.expires_at else None
