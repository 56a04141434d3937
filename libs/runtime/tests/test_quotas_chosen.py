import pytest

from mlplace_runtime.process.adapters import choose_quotas
from mlplace_runtime.process.settings import ProcessSettings
from mlplace_runtime.quotas import MemoryQuotas
from mlplace_runtime.quotas.redis import RedisQuotas

HEX = "ab" * 32


class TestChooseQuotas:
    @pytest.mark.parametrize(
        ("url", "kind"), [(None, MemoryQuotas), ("", MemoryQuotas), ("redis://:secret@nowhere:6379/0", RedisQuotas)]
    )
    async def test_redis_is_used_if_its_url_is_set(self, url: str | None, kind: type[object]) -> None:
        values = {"internal_token": HEX, "hash_secret": HEX, "envelope_key": HEX, "bus": "x", "redis_url": url}
        async with choose_quotas(ProcessSettings(**values)) as quotas:  # type: ignore[arg-type]  # as read from text
            assert isinstance(quotas, kind)
