"""Tests a broker that requires TLS and a login."""

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from mlplace_contracts.topics import USAGE
from mlplace_runtime.bus.kafka.bus import KafkaBus, KafkaSettings, KafkaUnavailableError
from mlplace_runtime.bus.kafka.settings import KafkaLogin, KafkaTls
from mlplace_runtime.bus.port import Delivered, Record
from mlplace_testing.servers.stores import KafkaServer
from mlplace_testing.waiting import eventually

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]


@pytest.fixture
def settings(kafka_server: KafkaServer, kafka_settings: KafkaSettings, tmp_path: Path) -> KafkaSettings:
    secure = kafka_server.secure
    if secure is None:
        pytest.skip("a broker that is given by its address has no listener with TLS that we know of")
    authority = tmp_path / "authority.pem"
    authority.write_text(secure.authority)
    login = KafkaLogin("PLAIN", secure.user, SecretStr(secure.password))
    return replace(kafka_settings, servers=(secure.address,), tls=KafkaTls(authority), login=login, publish_seconds=10)


_RECORD = Record(USAGE.name, "k", b"v")


class TestTlsAndLogin:
    async def test_events_are_published_and_read(self, settings: KafkaSettings) -> None:
        found: list[Delivered] = []
        async with KafkaBus(settings, topics=(USAGE,)) as bus:
            await bus.publish([_RECORD])
            subscription = await bus.subscribe([USAGE], group="secure")

            async def poll() -> bool:
                found.extend(await subscription.poll(max_records=10, timeout_seconds=1))
                return bool(found)

            await eventually(poll, seconds=60)
            await subscription.commit()
            assert bus.trouble() is None
        assert [delivered.record for delivered in found] == [_RECORD]

    async def test_a_wrong_password_is_an_error(self, settings: KafkaSettings) -> None:
        assert settings.login
        wrong = replace(settings, login=replace(settings.login, password=SecretStr("wrong")))
        async with KafkaBus(wrong, topics=(USAGE,)) as bus:
            with pytest.raises(KafkaUnavailableError):
                await bus.publish([_RECORD])
            assert bus.trouble()

    async def test_an_unknown_authority_is_not_trusted(self, settings: KafkaSettings) -> None:
        async with KafkaBus(replace(settings, tls=KafkaTls()), topics=(USAGE,)) as bus:
            with pytest.raises(KafkaUnavailableError):
                await bus.publish([_RECORD])
