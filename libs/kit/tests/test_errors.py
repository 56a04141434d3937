from typing import ClassVar

import pytest
from pydantic import SecretStr, ValidationError
from pydantic_settings import SettingsConfigDict

from mlplace_kit.errors import DomainError, ModelNotFound, ValidationFailed, catalogue
from mlplace_kit.ids import new_event_id
from mlplace_kit.settings import Environment, Settings


class TestDomainError:
    def test_fills_its_message(self) -> None:
        class Limit(DomainError):
            code: ClassVar[str] = "test.limit"
            message: ClassVar[str] = "at most {limit} of {what}"

        assert Limit(limit="5").text == "at most 5 of {what}"

    def test_validation_names_each_field(self) -> None:
        error = ValidationFailed({"name": "is taken", "price": "is negative"})
        assert error.text == "name: is taken; price: is negative"
        assert error.details == {"name": "is taken", "price": "is negative"}

    def test_the_catalogue_lists_every_code(self) -> None:
        assert ModelNotFound in list(catalogue())


class TestIds:
    def test_event_ids_sort_by_time_and_carry_their_version(self) -> None:
        made = [new_event_id() for _ in range(1000)]
        assert len(set(made)) == 1000
        assert {identifier.version for identifier in made} == {7}
        assert made[0].int >> 80 <= made[-1].int >> 80


class TestSettings:
    def test_placeholders_are_refused_in_production(self) -> None:
        class Own(Settings):
            token: SecretStr = SecretStr("change-me please")

        assert Own(environment=Environment.DEVELOPMENT).token
        with pytest.raises(ValidationError, match="MLP_TOKEN still holds the placeholder"):
            Own(environment=Environment.PRODUCTION)

    def test_one_variable_sets_the_environment_of_every_service(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Own(Settings):
            model_config = SettingsConfigDict(env_prefix="MLP_OWN_", extra="ignore", frozen=True)

            token: SecretStr = SecretStr("a good one")

        monkeypatch.setenv("MLP_ENVIRONMENT", "production")
        assert Own().environment is Environment.PRODUCTION
        monkeypatch.setenv("MLP_OWN_TOKEN", "change-me")
        with pytest.raises(ValidationError, match="MLP_OWN_TOKEN still holds the placeholder"):
            Own()
