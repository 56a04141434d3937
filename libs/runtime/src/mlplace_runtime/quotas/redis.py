"""Buckets in Redis. No call waits long: a store that misses the time limit counts as unreachable."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self, cast

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from mlplace_runtime.outage import Outage
from mlplace_runtime.quotas.lua import SYNC
from mlplace_runtime.quotas.port import HOLDER_MS, BucketAnswer, QuotasAwayError, Report
from mlplace_runtime.tasks import heard_within

_MOST_CONNECTIONS: Final = 4
_PROBE_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class RedisSettings:
    """`url` is redis://[:password@]host:port[/db], or rediss:// for TLS. Keys begin with `prefix`.

    A store that takes longer than `timeout_seconds` to answer counts as unreachable. Time in which this process could
    not listen does not count.
    """

    url: str
    prefix: str = "mlp:"
    timeout_seconds: float = 0.25


class RedisQuotas:
    """Implements `SharedQuotas`. After a failure it raises at once, without asking the store, for up to 2 s.

    A hanging store therefore costs an occasional timeout, not one per caller.
    """

    def __init__(
        self,
        settings: RedisSettings,
        *,
        now_ms: Callable[[], int] | None = None,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """`now_ms` replaces Redis' own clock in tests, `seconds` the one that measures the pauses after failures."""
        self._seconds = seconds
        self._prefix = settings.prefix
        self._now_ms = now_ms
        self._timeout_seconds = settings.timeout_seconds
        self._client = redis.asyncio.Redis.from_url(  # pyright: ignore[reportUnknownMemberType]  # untyped arguments
            settings.url,
            socket_timeout=None,  # `sync` has its own time limit
            socket_connect_timeout=None,
            retry=Retry(NoBackoff(), 0),  # callers retry when it suits them
            decode_responses=True,
        )
        self._script = self._client.register_script(SYNC)
        self._outage = Outage("redis", most_seconds=_PROBE_SECONDS)
        self._away_until = float("-inf")
        self._at_once = asyncio.Semaphore(_MOST_CONNECTIONS)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def sync(self, holder: str, reports: Sequence[Report]) -> Sequence[BucketAnswer]:
        if self._seconds() < self._away_until:
            raise QuotasAwayError
        try:
            answers = await heard_within(self._timeout_seconds, self._run(holder, reports))
        except (RedisError, OSError, TimeoutError) as error:
            self._away_until = self._seconds() + self._outage.failed(error)
            raise QuotasAwayError from error
        self._outage.over()
        return [_standing(answer) for answer in answers]

    async def _run(self, holder: str, reports: Sequence[Report]) -> Sequence[Sequence[str]]:
        async with self._at_once:
            try:
                return await self._pipelined(holder, reports)
            except NoScriptError:  # a freshly started Redis; none of the reports took effect
                await self._client.script_load(SYNC)
                return await self._pipelined(holder, reports)

    async def _pipelined(self, holder: str, reports: Sequence[Report]) -> Sequence[Sequence[str]]:
        async with self._client.pipeline(transaction=False) as pipe:
            for report in reports:
                pipe.evalsha(self._script.sha, 1, self._prefix + report.bucket.name, *self._arguments(holder, report))
            return cast("Sequence[Sequence[str]]", await pipe.execute())

    def _arguments(self, holder: str, report: Report) -> Sequence[str | int | float]:
        bucket, totals, acked = report.bucket, report.totals, report.acked
        return (
            holder,
            self._now_ms() if self._now_ms else "",
            bucket.capacity,
            bucket.period_ms or 0,
            int(bucket.rises_at_once),
            totals.spent,
            totals.returned,
            totals.apart,
            acked.spent,
            acked.returned,
            acked.apart,
            report.least,
            report.demand,
            report.extra,
            "" if report.level is None else repr(float(report.level)),
            int(report.leaving),
            HOLDER_MS,
        )


def _standing(answer: Sequence[str]) -> BucketAnswer:
    granted, level, holders, known = answer
    return BucketAnswer(int(granted), float(level), int(holders), known == "1")
