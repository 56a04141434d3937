"""Gates without Redis say that they multiply the limits."""

import pytest
import structlog.testing

from mlpgateway.membership.in_memory import GatesInMemory
from mlpgateway.wiring.limits import make_bucket_leases
from mlplace_runtime.quotas import MemoryQuotas
from mlplace_runtime.quotas.redis import RedisQuotas, RedisSettings


@pytest.fixture
def gates() -> GatesInMemory:
    return GatesInMemory()


class TestWarning:
    async def test_gate_with_peers_and_without_redis_warns_once(self, gates: GatesInMemory) -> None:
        make_bucket_leases(MemoryQuotas(), gates)
        with structlog.testing.capture_logs() as lines:
            for address in ("a:1", "b:1", "c:1"):
                await gates.join(address)
        (line,) = lines
        assert (line["log_level"], line["event"], line["gates"]) == ("warning", "limits_not_shared", ("a:1", "b:1"))
        assert "each gate admits the whole of every limit" in line["consequence"]

    async def test_gate_alone_does_not_warn_while_its_predecessor_drains(self, gates: GatesInMemory) -> None:
        make_bucket_leases(MemoryQuotas(), gates)
        with structlog.testing.capture_logs() as lines:
            await gates.join("a:1")
            await gates.retire("a:1")
            await gates.join("b:1")
        assert lines == []

    async def test_gates_that_share_limits_do_not_warn(self, gates: GatesInMemory) -> None:
        make_bucket_leases(RedisQuotas(RedisSettings("redis://nowhere:6379/0")), gates)
        with structlog.testing.capture_logs() as lines:
            await gates.join("a:1")
            await gates.join("b:1")
        assert lines == []
