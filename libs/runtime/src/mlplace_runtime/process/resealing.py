"""`reseal`: seals with the present envelope key what only a previous one opens, while the services serve."""

import argparse
import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from mlplace_runtime.db.database import Database
from mlplace_runtime.db.sealed import Key, SealedColumn, SealedValue
from mlplace_runtime.process.commands import Command, Opened, Say
from mlplace_runtime.secrets import UnreadableSecretError, Vault

DONE: Final = 0
OLD_ARE_LEFT: Final = 1
"""Some values are still sealed with a previous key."""
UNREADABLE_ARE_LEFT: Final = 3
"""No key opens some values, so that nothing is lost with the previous one."""

_TRIES: Final = 30
_PAUSE_SECONDS: Final = 1.0
_MOST_NAMED: Final = 50


def reseal_command(columns: Sequence[SealedColumn[Any]]) -> Command[object]:
    """`columns`: all whose values the service keeps sealed with the envelope key."""

    async def run(opened: Opened[object], _: argparse.Namespace, say: Say) -> int:
        vault = Vault(opened.shared.envelope_key, *opened.shared.older_envelope_keys)
        try:
            return await Resealing(opened.database, vault, columns).run(say)
        except (SQLAlchemyError, TimeoutError) as error:
            say(f"The database failed ({type(error).__name__}). What is done is kept: repeat the command.")
            return OLD_ARE_LEFT

    return Command("reseal", "encrypt again what the previous envelope key has encrypted", run)


@dataclass(slots=True)
class _Named:
    """Values that are named to the operator: the first ones, and how many there are."""

    first: list[str] = field(default_factory=list[str])
    count: int = 0

    def add(self, value: SealedValue) -> None:
        self.count += 1
        if self.count <= _MOST_NAMED:
            self.first.append(f"{value.key} (account {value.account_id})")

    def __str__(self) -> str:
        more = f" and {self.count - _MOST_NAMED} more" if self.count > _MOST_NAMED else ""
        return ", ".join(self.first) + more


@dataclass(slots=True)
class _Found:
    """The values of a kind. `refused`: those whose row this release refuses to write. `lost`: of deleted objects."""

    refused: _Named
    old: int = 0
    unreadable: _Named = field(default_factory=_Named)
    lost: int = 0


class Resealing:
    """Each batch is a transaction, so an interrupted command is simply repeated. Several may run at once."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        kinds: Sequence[SealedColumn[Any]],
        *,
        pause_seconds: float = _PAUSE_SECONDS,
    ) -> None:
        self._database = database
        self._vault = vault
        self._kinds = kinds
        self._pause_seconds = pause_seconds

    async def run(self, say: Say) -> int:
        """Says what it has done, never a value. Returns DONE, OLD_ARE_LEFT or UNREADABLE_ARE_LEFT."""
        refused = {kind.kind: await self._reseal(kind, say) for kind in self._kinds}
        # Only now: a process that does not use the present key yet may have written values of kinds that were done.
        found = {kind.kind: await self._look(kind, refused[kind.kind]) for kind in self._kinds}
        for name, last in found.items():
            _tell(name, last, say)
        if any(last.old > last.refused.count for last in found.values()):
            say("Others hold these values, or a process does not use the present key yet: repeat the command later.")
        if any(last.old for last in found.values()):
            return OLD_ARE_LEFT
        if self._vault.has_older_keys:
            say("Nothing is encrypted with a previous key: MLP_ENVELOPE_KEY_PREVIOUS can be emptied.")
        elif not any(last.unreadable.count for last in found.values()):
            say("There is no previous key, and the present one opens all values.")
        return UNREADABLE_ARE_LEFT if any(last.unreadable.count for last in found.values()) else DONE

    async def _reseal(self, kind: SealedColumn[Any], say: Say) -> _Named:
        """Returns the values that are refused."""
        values, again, after = 0, 0, None
        held: list[Key] = []
        refused = _Named()
        while page := await self._page(kind, after):
            values, after = values + len(page), page[-1].key
            done, left = await self._replace(kind, [value.key for value in page if self._is_old(value)], refused)
            again, held = again + done, held + left
        for _ in range(_TRIES):
            if not held:
                break
            await asyncio.sleep(self._pause_seconds)
            tried, held = held, []
            for start in range(0, len(tried), kind.at_once):
                done, left = await self._replace(kind, tried[start : start + kind.at_once], refused)
                again, held = again + done, held + left
        say(f"{kind.kind}: {values} values, {again} encrypted again")
        return refused

    async def _look(self, kind: SealedColumn[Any], refused: _Named) -> _Found:
        found, after = _Found(refused=refused), None
        while page := await self._page(kind, after):
            after = page[-1].key
            for value in page:
                try:
                    found.old += self._vault.needs_resealing(value.sealed, purpose=value.purpose)
                except UnreadableSecretError:
                    if value.is_used:
                        found.unreadable.add(value)
                    else:
                        found.lost += 1
        return found

    async def _page(self, kind: SealedColumn[Any], after: Key | None) -> Sequence[SealedValue]:
        async with self._database.transaction() as session:
            return await kind.page(session, after=after)

    def _is_old(self, value: SealedValue) -> bool:
        try:
            return self._vault.needs_resealing(value.sealed, purpose=value.purpose)
        except UnreadableSecretError:
            return False

    async def _replace(self, kind: SealedColumn[Any], keys: Collection[Key], refused: _Named) -> tuple[int, list[Key]]:
        """Returns how many were sealed again, and the keys of those that others hold. Adds to `refused`."""
        if not keys:
            return 0, []
        again = 0
        async with self._database.transaction() as session:
            locked = await kind.lock(session, keys)
            for value in locked:
                if not self._is_old(value):  # written meanwhile
                    continue
                sealed = self._vault.reseal(value.sealed, purpose=value.purpose)
                try:
                    async with session.begin_nested():
                        await kind.replace(session, value.key, sealed)
                except ValidationError:
                    refused.add(value)
                else:
                    again += 1
            held = await kind.existing(session, set(keys) - {value.key for value in locked})
        return again, list(held)


def _tell(name: str, found: _Found, say: Say) -> None:
    if found.lost:
        say(f"{name} of deleted objects that no key opens, and nothing reads: {found.lost}")
    if found.unreadable.count:
        say(f"{name} that no key opens: {found.unreadable}")
    if found.refused.count:
        say(f"{name} of rows that this release refuses to write: {found.refused}")
    if found.old:
        say(f"{name} that are still encrypted with a previous key: {found.old}")
