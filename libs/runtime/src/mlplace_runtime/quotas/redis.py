"""Buckets in Redis. Nothing here waits long: the store answers within the time-out, or is away."""

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
from mlplace_runtime.quotas.port import HOLDER_MS, QuotasAwayError, Report, Standing
from mlplace_runtime.tasks import heard_within

_MOST_CONNECTIONS: Final = 4
_PROBE_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class RedisSettings:
    """`url` is redis://[:password@]host:port[/db], rediss:// with TLS. Keys begin with `prefix`.

    A store that takes longer than `timeout_seconds` to answer counts as away; time in which this process could not
    listen does not count.
    """

    url: str
    prefix: str = "mlp:"
    timeout_seconds: float = 0.25


class RedisQuotas:
    """Satisfies SharedQuotas. After a failure it says at once that the store is away, for up to 2 s.

    So a store that hangs costs one time-out now and then, not one for each caller.
    """

    def __init__(self, settings: RedisSettings, *, now_ms: Callable[[], int] | None = None) -> None:
        """`now_ms` takes the place of Redis' own clock, in tests."""
        self._prefix = settings.prefix
        self._now_ms = now_ms
        self._timeout_seconds = settings.timeout_seconds
        self._client = redis.asyncio.Redis.from_url(  # pyright: ignore[reportUnknownMemberType]  # untyped arguments
            settings.url,
            socket_timeout=None,  # `sync` waits by a clock of its own
            socket_connect_timeout=None,
            retry=Retry(NoBackoff(), 0),  # whoever leases tries again, and knows when
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

    async def sync(self, holder: str, reports: Sequence[Report]) -> Sequence[Standing]:
        if time.monotonic() < self._away_until:
            raise QuotasAwayError
        try:
            answers = await heard_within(self._timeout_seconds, self._run(holder, reports))
        except (RedisError, OSError, TimeoutError) as error:
            self._away_until = time.monotonic() + self._outage.failed(error)
            raise QuotasAwayError from error
        self._outage.over()
        return [_standing(answer) for answer in answers]

    async def _run(self, holder: str, reports: Sequence[Report]) -> Sequence[Sequence[str]]:
        async with self._at_once:
            try:
                return await self._pipelined(holder, reports)
            except NoScriptError:  # a Redis that has just started; none of the reports has had an effect
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


def _standing(answer: Sequence[str]) -> Standing:
    granted, level, holders, known = answer
    return Standing(int(granted), float(level), int(holders), known == "1")
