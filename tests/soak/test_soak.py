"""The platform does not leak under mixed load: 30 seconds here, 45 with MLP_PROOFS=full, ten minutes with `make soak`."""

import os

import pytest

from tests.soak.census import Census
from tests.soak.judging import Bounds, leaks
from tests.soak.run import soak

SECONDS = 45 if os.environ.get("MLP_PROOFS") == "full" else 30
SHORT = Bounds(mib=12.0)  # caches are still filling
QUIET = Census(tasks=50, files=40, threads=10, connections=2, sessions=20, forgotten_transactions=0)
FLAT = [(float(second), 200_000.0 + 300 * (second % 3)) for second in range(60)]


class TestSoak:
    @pytest.mark.e2e
    @pytest.mark.timeout(600)
    async def test_mixed_load_leaves_nothing_behind(self) -> None:
        report = await soak(SECONDS, SHORT)
        assert not report.leaks, str(report)
        kinds = {"unary", "stream", "stream left", "call left", "gRPC", "gRPC left", "error", "refusal", "time-out",
                 "sign-in", "look", "key", "reconnect"}  # fmt: skip
        assert kinds <= set(report.done), str(report)


class TestLeaks:
    """Checks the judging of such a run."""

    def test_a_platform_at_rest_has_none(self) -> None:
        assert leaks(FLAT, calls=1000, before=QUIET, after=QUIET, bounds=SHORT) == []

    def test_memory_that_grows_with_calls_is_one(self) -> None:
        growing = [(second, kib + 300 * second) for second, kib in FLAT]
        assert (
            "memory grew by 17.3 MiB, 17.70 KiB with each call"
            in leaks(growing, calls=1000, before=QUIET, after=QUIET, bounds=SHORT)[0]
        )

    @pytest.mark.parametrize("name", ["tasks", "files", "threads", "connections", "sessions"])
    def test_more_of_anything_than_an_idle_platform_varies_by_is_one(self, name: str) -> None:
        counts = {field: getattr(QUIET, field) for field in Census.__slots__ if field != "names"}
        after = Census(**{**counts, name: counts[name] + 20})
        (found,) = leaks(FLAT, calls=1000, before=QUIET, after=after, bounds=SHORT)
        assert found.startswith(f"20 more {name}")

    def test_a_forgotten_transaction_is_one(self) -> None:
        after = Census(tasks=50, files=40, threads=10, connections=2, sessions=20, forgotten_transactions=1)
        assert leaks(FLAT, calls=1000, before=QUIET, after=after, bounds=SHORT)

    def test_one_jump_of_memory_is_no_slope(self) -> None:
        jump = [(second, kib + (40_000 if second > 50 else 0)) for second, kib in FLAT]
        assert leaks(jump, calls=1000, before=QUIET, after=QUIET, bounds=SHORT) == []
