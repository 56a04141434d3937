from typing import ClassVar

import pytest
from pydantic import SecretStr, ValidationError
from pydantic_settings import SettingsConfigDict

from mlplace_kit.errors import DomainError, ModelNotFound, ValidationFailed, catalogue
from mlplace_kit.ids import new_event_id
from mlplace_kit.settings import Environment, Settings
from mlplace_kit.violations import MOST_VIOLATIONS, RULES, broken, shown_path


class TestDomainError:
    def test_fills_its_message(self) -> None:
        class Limit(DomainError):
            code: ClassVar[str] = "test.limit"
            message: ClassVar[str] = "at most {limit} of {what}"

        assert Limit(limit="5").text == "at most 5 of {what}"

    def test_validation_names_each_field(self) -> None:
        error = ValidationFailed(
            {"name": broken("invalid", message="is taken"), "price": broken("invalid", message="is negative")}
        )
        assert error.text == "name: is taken; price: is negative"
        assert error.details == {"name": "is taken", "price": "is negative"}

    def test_the_catalogue_lists_every_code(self) -> None:
        assert ModelNotFound in list(catalogue())


class TestViolations:
    def test_names_rule_and_arguments_beside_the_message(self) -> None:
        violation = broken("between", min="1", max="9")
        assert (violation.rule, violation.message, dict(violation.args)) == (
            "between",
            "must be 1 to 9",
            {"min": "1", "max": "9"},
        )

    def test_an_unknown_rule_is_a_defect(self) -> None:
        with pytest.raises(KeyError):
            broken("no_such_rule")

    def test_arguments_are_of_bounded_length(self) -> None:
        assert len(broken("required_with", other="x" * 10_000).args["other"]) == 200

    @pytest.mark.parametrize(
        ("path", "shown"),
        [
            ("caching.mongoUri", "caching.mongoUri"),
            ("dataImageMounts.0.dataImageId", "dataImageMounts.0.dataImageId"),
            ("Idempotency-Key", "Idempotency-Key"),
            ("имя", "имя"),
            ("<img src=x onerror=alert(1)>", "?img src?x onerror?alert?1??"),
            ("a\u202eb\x00c\nd", "a?b?c?d"),
        ],
    )
    def test_a_path_has_no_characters_with_a_meaning(self, path: str, shown: str) -> None:
        assert shown_path(path) == shown

    def test_a_hostile_request_gets_a_bounded_answer(self) -> None:
        error = ValidationFailed({f"{number}{'x' * 10_000}": broken("unknown_field") for number in range(1000)})
        assert len(error.details) == len(error.violations) == MOST_VIOLATIONS
        assert max(map(len, error.details)) == 128

    def test_a_field_that_is_called_self_is_named(self) -> None:
        assert ValidationFailed({"self": broken("unknown_field")}).details == {"self": RULES["unknown_field"]}


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
