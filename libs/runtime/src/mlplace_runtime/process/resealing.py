"""`reseal`: seals with the present envelope key what only a previous one opens, while the services serve."""

import argparse
import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from mlplace_kit.clock import Clock
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.sealed import Key, SealedValue, SealedValues
from mlplace_runtime.process.commands import Command, Opened, Say
from mlplace_runtime.secrets import UnreadableSecretError, Vault

_AT_ONCE: Final = 100
_PASSES: Final = 30
_PAUSE_SECONDS: Final = 1.0


def reseal_command(sealed: Callable[[Clock], Sequence[SealedValues]]) -> Command[object]:
    """`sealed` returns the kinds of values that the service keeps sealed with the envelope key."""

    async def run(opened: Opened[object], _: argparse.Namespace, say: Say) -> int:
        shared = opened.shared
        vault = Vault(shared.envelope_key, *shared.older_envelope_keys)
        return await Resealing(opened.database, vault, sealed(shared.clock)).run(say)

    return Command("reseal", "seal with the present envelope key what the previous one sealed", run)


@dataclass(slots=True)
class _Found:
    """What one pass over the values of a kind has found. `old`: sealed with a previous key; `again`: those resealed.

    `lost`: of deleted objects, and opened by no key.
    """

    values: int = 0
    old: int = 0
    again: int = 0
    lost: int = 0
    unreadable: list[Key] = field(default_factory=list[Key])


class Resealing:
    """Each batch is a transaction, so an interrupted command is simply repeated. Several may run at once."""

    def __init__(
        self, database: Database, vault: Vault, kinds: Sequence[SealedValues], *, pause_seconds: float = _PAUSE_SECONDS
    ) -> None:
        self._database = database
        self._vault = vault
        self._kinds = kinds
        self._pause_seconds = pause_seconds

    async def run(self, say: Say) -> int:
        """Says what it has done, never a value. Returns the exit code: 0 if the present key opens all values."""
        found = {kind.kind: await self._reseal(kind, say) for kind in self._kinds}
        for name, last in found.items():
            if last.unreadable:
                say(f"{name} that no key opens: {', '.join(map(str, last.unreadable))}")
            if last.old:
                say(f"{name} that are still sealed with a previous key: {last.old}")
        if any(last.old for last in found.values()):
            say("Others hold these values, or a process does not use the present key yet: repeat the command later.")
            return 1
        if any(last.unreadable for last in found.values()):
            say("Replace or delete what no key opens, then repeat the command.")
            return 1
        if self._vault.has_older_keys:
            say("Nothing is sealed with a previous key: MLP_ENVELOPE_KEY_PREVIOUS can be emptied.")
        else:
            say("There is no previous key, and the present one opens all values.")
        return 0

    async def _reseal(self, kind: SealedValues, say: Say) -> _Found:
        """Repeats passes until one finds nothing to do: others may hold values, or have written some meanwhile."""
        last, again = _Found(), 0
        for _ in range(_PASSES):
            last = await self._pass(kind)
            again += last.again
            if not last.old:
                break
            if last.again < last.old:
                await asyncio.sleep(self._pause_seconds)
        lost = f", {last.lost} of deleted ones that no key opens" if last.lost else ""
        say(f"{kind.kind}: {last.values} values, {again} sealed again{lost}")
        return last

    async def _pass(self, kind: SealedValues) -> _Found:
        found, after = _Found(), None
        while True:
            async with self._database.transaction() as session:
                batch = await kind.batch(session, after=after, most=_AT_ONCE)
            if not batch:
                return found
            after = batch[-1].key
            old = self._sorted(batch, found)
            if old:
                found.again += await self._replace(kind, old)

    def _sorted(self, batch: Sequence[SealedValue], found: _Found) -> list[Key]:
        """Counts the values. Returns the keys of those that a previous key has sealed."""
        old: list[Key] = []
        for value in batch:
            try:
                if self._vault.reseal(value.sealed, purpose=value.purpose) is not None:
                    old.append(value.key)
            except UnreadableSecretError:
                if value.is_used:
                    found.unreadable.append(value.key)
                else:
                    found.lost += 1
        found.values += len(batch)
        found.old += len(old)
        return old

    async def _replace(self, kind: SealedValues, keys: Sequence[Key]) -> int:
        """Returns how many were sealed again: not those that others hold, or have replaced or deleted meanwhile."""
        again = 0
        async with self._database.transaction() as session:
            for value in await kind.lock(session, keys):
                try:
                    sealed = self._vault.reseal(value.sealed, purpose=value.purpose)
                except UnreadableSecretError:  # written meanwhile; the next pass tells
                    continue
                if sealed is not None:
                    await kind.replace(session, value.key, sealed)
                    again += 1
        return again
