import pytest
from pydantic import ValidationError

from mlplace_runtime.process.problems import describe
from mlplace_runtime.process.settings import ProcessSettings

HEX = "ab" * 32
GOOD = {
    "MLP_INTERNAL_TOKEN": HEX,
    "MLP_HASH_SECRET": HEX,
    "MLP_ENVELOPE_KEY": HEX,
    "MLP_BUS": "kafka://one:9092,two:9092",
}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name, value in GOOD.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def read() -> ProcessSettings:
    return ProcessSettings()  # pyright: ignore[reportCallIssue]  # the environment has the values


class TestProcessSettings:
    def test_secrets_become_keys_and_services_have_addresses(self, environment: pytest.MonkeyPatch) -> None:
        environment.setenv("MLP_MLPCORE_URL", "http://core.internal:9000")
        settings = read()
        assert settings.hash_key == settings.sealing_key == bytes.fromhex(HEX)
        assert settings.addresses["mlpcore"] == "http://core.internal:9000/"
        assert settings.addresses["mlpbilling"] == "http://mlpbilling:8080/"

    @pytest.mark.parametrize("name", GOOD)
    def test_required_values_have_no_default(self, environment: pytest.MonkeyPatch, name: str) -> None:
        environment.delenv(name)
        with pytest.raises(ValidationError):
            read()

    @pytest.mark.parametrize("name", ["MLP_HASH_SECRET", "MLP_ENVELOPE_KEY"])
    @pytest.mark.parametrize("value", ["ab" * 31, "zz" * 32, ""])
    def test_keys_are_32_bytes_in_hexadecimal(self, environment: pytest.MonkeyPatch, name: str, value: str) -> None:
        environment.setenv(name, value)
        with pytest.raises(ValidationError, match=name):
            read()

    def test_former_secrets_are_accepted_besides_the_new_ones(self, environment: pytest.MonkeyPatch) -> None:
        assert read().also_internal_tokens == ()
        assert read().older_sealing_keys == ()
        environment.setenv("MLP_INTERNAL_TOKEN_ALSO", "")
        environment.setenv("MLP_ENVELOPE_KEY_PREVIOUS", "cd" * 32)
        assert read().also_internal_tokens == ()
        assert read().older_sealing_keys == (b"\xcd" * 32,)
        environment.setenv("MLP_INTERNAL_TOKEN_ALSO", "next" * 8)
        assert read().also_internal_tokens == ("next" * 8,)

    @pytest.mark.parametrize("name", ["MLP_INTERNAL_TOKEN_ALSO", "MLP_ENVELOPE_KEY_PREVIOUS", "MLP_METRICS_TOKEN"])
    def test_optional_secrets_must_have_the_same_length(self, environment: pytest.MonkeyPatch, name: str) -> None:
        environment.setenv(name, "ab" * 15)
        with pytest.raises(ValidationError, match=name):
            read()

    def test_placeholders_are_refused_in_production_only(self, environment: pytest.MonkeyPatch) -> None:
        environment.setenv("MLP_INTERNAL_TOKEN", "change-me-" * 4)
        assert read()
        environment.setenv("MLP_ENVIRONMENT", "production")
        with pytest.raises(ValidationError, match="MLP_INTERNAL_TOKEN still holds the placeholder"):
            read()

    def test_an_error_does_not_contain_the_wrong_value(self, environment: pytest.MonkeyPatch) -> None:
        environment.setenv("MLP_HASH_SECRET", "0123secret")
        with pytest.raises(ValidationError) as caught:
            read()
        assert "0123secret" not in describe(caught.value)
        assert "MLP_HASH_SECRET" in describe(caught.value)


_LOGIN = {
    "MLP_KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
    "MLP_KAFKA_SASL_USER": "mlplace",
    "MLP_KAFKA_SASL_PASSWORD": "not-a-real-one",  # pragma: allowlist secret
}


class TestKafkaEnvironment:
    def test_the_default_is_plain_text(self, environment: pytest.MonkeyPatch) -> None:
        environment.setenv("MLP_KAFKA_SASL_MECHANISM", "")
        kafka = read().kafka(("one:9092",), client_id="x")
        assert (kafka.security_protocol, kafka.topic_config) == ("PLAINTEXT", {})

    def test_replicas_encryption_and_login_reach_the_client(self, environment: pytest.MonkeyPatch) -> None:
        more = {"MLP_KAFKA_TLS": "true", "MLP_KAFKA_REPLICATION_FACTOR": "3", "MLP_KAFKA_MIN_INSYNC_REPLICAS": "2"}
        for name, value in {**_LOGIN, **more}.items():
            environment.setenv(name, value)
        settings = read()
        kafka = settings.kafka(("one:9092",), client_id="x")
        assert kafka.security_protocol == "SASL_SSL"
        assert kafka.topic_config == {"min.insync.replicas": "2"}
        assert kafka.login
        assert kafka.login.password.get_secret_value() == "not-a-real-one"
        assert "not-a-real-one" not in repr(settings)
        assert "not-a-real-one" not in repr(kafka)

    @pytest.mark.parametrize("missing", _LOGIN)
    def test_half_a_login_is_refused(self, environment: pytest.MonkeyPatch, missing: str) -> None:
        for name, value in _LOGIN.items():
            environment.setenv(name, "" if name == missing else value)
        with pytest.raises(ValidationError, match="together"):
            read()

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("MLP_KAFKA_TLS_CA", "ca.pem"),
            ("MLP_KAFKA_TLS_KEY", "key.pem"),
            ("MLP_KAFKA_MIN_INSYNC_REPLICAS", "2"),
            ("MLP_KAFKA_SASL_MECHANISM", "GSSAPI"),
        ],
    )
    def test_contradictory_settings_are_refused(self, environment: pytest.MonkeyPatch, name: str, value: str) -> None:
        environment.setenv(name, value)
        with pytest.raises(ValidationError):
            read()
