import pytest
from pydantic import SecretStr

from mlplace_kit.settings import PlaceholderError, Settings, is_loopback, refuse_placeholders


class _Settings(Settings):
    name: str = "plain"
    secret: SecretStr = SecretStr("own")


class TestIsLoopback:
    @pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
    def test_loopback_addresses_are_loopback(self, host: str) -> None:
        assert is_loopback(host)

    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.0.1", "10.0.0.1", "example.org", "localhost.evil"])
    def test_other_addresses_are_not_loopback(self, host: str) -> None:
        assert not is_loopback(host)


class TestRefusePlaceholders:
    def test_names_the_variable_and_not_its_value(self) -> None:
        with pytest.raises(PlaceholderError, match=r"^MLP_SECRET still holds the placeholder"):
            refuse_placeholders(_Settings(), _Settings(secret=SecretStr("x-change-me-x")))

    def test_own_secrets_are_accepted(self) -> None:
        refuse_placeholders(_Settings())
