"""Limits on how often instances connect and how many streams they hold, per token and per account."""

from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mlpgateway.call.ports import InstanceEntry
from mlpgateway.errors.gate import TooManyConnects, TooManyStreams
from mlplace_kit.networks import subscriber_of

_MOST_BUCKETS: Final = 50_000
_BURST_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class ConnectBounds:
    """`per_minute` bounds connects, half of which may come at once; `streams` bounds the open streams.

    A process opens one stream to each gate, and reopens a lost one; the SDKs wait a second between attempts.
    `unknown_per_minute` bounds the unknown tokens from one address; valid tokens from there are not affected.
    """

    token_per_minute: int = 60
    token_streams: int = 16
    account_per_minute: int = 1_200
    account_streams: int = 2_000
    unknown_per_minute: int = 600


class Connects:
    """The limits of one gate. They refuse a stream before anything is stored or sent."""

    def __init__(self, bounds: ConnectBounds, now: Callable[[], float]) -> None:
        self._bounds = bounds
        self._streams: Counter[tuple[str, int]] = Counter()
        self._tokens = _Buckets(bounds.token_per_minute, now)
        self._accounts = _Buckets(bounds.account_per_minute, now)
        self._unknown = _Buckets(bounds.unknown_per_minute, now)

    def come(self, entry: InstanceEntry) -> None:
        """Counts one more stream. Raises TooManyStreams, TooManyConnects."""
        bounds, token, account = self._bounds, ("token", entry.instance_id), ("account", entry.account_id)
        if self._streams[token] >= bounds.token_streams:
            raise TooManyStreams(holder="token", limit=str(bounds.token_streams))
        if self._streams[account] >= bounds.account_streams:
            raise TooManyStreams(holder="account", limit=str(bounds.account_streams))
        if wait := self._tokens.take(entry.instance_id):
            raise TooManyConnects(wait, holder="token", limit=str(bounds.token_per_minute))
        if wait := self._accounts.take(entry.account_id):
            raise TooManyConnects(wait, holder="account", limit=str(bounds.account_per_minute))
        self._streams[token] += 1
        self._streams[account] += 1

    def unknown(self, address: str) -> None:
        """Counts an unknown token. Raises TooManyConnects, which tells the instance when to try again."""
        if wait := self._unknown.take(subscriber_of(address)):
            raise TooManyConnects(wait, holder="address", limit=str(self._bounds.unknown_per_minute))

    def go(self, entry: InstanceEntry) -> None:
        """Counts one stream less."""
        for who in (("token", entry.instance_id), ("account", entry.account_id)):
            self._streams[who] -= 1
            if not self._streams[who]:
                del self._streams[who]

    def streams_of(self, account_id: int) -> int:
        return self._streams.get(("account", account_id), 0)


class _Buckets:
    """One bucket per id or address, stored as the time when it is full. The least recently used one is dropped."""

    def __init__(self, per_minute: int, now: Callable[[], float]) -> None:
        self._each = 60.0 / per_minute
        self._burst = max(_BURST_SECONDS, self._each)
        self._now = now
        self._full_at: OrderedDict[int | str, float] = OrderedDict()

    def take(self, who: int | str) -> float:
        """Returns 0 when a token was taken, else the seconds until one is available."""
        now = self._now()
        full_at = max(now, self._full_at.get(who, now)) + self._each
        if full_at - now > self._burst:
            return full_at - now - self._burst
        self._full_at[who] = full_at
        self._full_at.move_to_end(who)
        if len(self._full_at) > _MOST_BUCKETS:
            self._full_at.popitem(last=False)
        return 0.0
