import pytest
from pydantic import ValidationError

from mlplace_runtime.process.program import describe
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
    def test_none_of_the_required_values_has_a_default(self, environment: pytest.MonkeyPatch, name: str) -> None:
        environment.delenv(name)
        with pytest.raises(ValidationError):
            read()

    @pytest.mark.parametrize("name", ["MLP_HASH_SECRET", "MLP_ENVELOPE_KEY"])
    @pytest.mark.parametrize("value", ["ab" * 31, "zz" * 32, ""])
    def test_keys_are_32_bytes_in_hexadecimal(self, environment: pytest.MonkeyPatch, name: str, value: str) -> None:
        environment.setenv(name, value)
        with pytest.raises(ValidationError, match=name):
            read()

    def test_placeholders_are_refused_in_production_only(self, environment: pytest.MonkeyPatch) -> None:
        environment.setenv("MLP_INTERNAL_TOKEN", "change-me-" * 4)
        assert read()
        environment.setenv("MLP_ENVIRONMENT", "production")
        with pytest.raises(ValidationError, match="MLP_INTERNAL_TOKEN still holds the placeholder"):
            read()

    def test_the_report_of_a_wrong_value_does_not_repeat_it(self, environment: pytest.MonkeyPatch) -> None:
        environment.setenv("MLP_HASH_SECRET", "0123secret")
        with pytest.raises(ValidationError) as caught:
            read()
        assert "0123secret" not in describe(caught.value)
        assert "MLP_HASH_SECRET" in describe(caught.value)
