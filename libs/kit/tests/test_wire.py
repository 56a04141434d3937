"""Checks that apply to every request body."""

from collections.abc import Mapping

import pytest
from pydantic import Field, SecretStr, ValidationError

from mlplace_kit.wire import Input


class Label(Input):
    text: str


class Everything(Input):
    name: str = "fine"
    secret: SecretStr = SecretStr("fine")
    tags: tuple[str, ...] = ()
    options: Mapping[str, object] = Field(default_factory=dict)
    labels: tuple[Label, ...] = ()
    number: int = 1


class TestNulCharacter:
    @pytest.mark.parametrize(
        ("body", "path"),
        [
            ({"name": "a\x00b"}, ("name",)),
            ({"secret": "\x00"}, ("secret",)),
            ({"tags": ["fine", "\x00"]}, ("tags",)),
            ({"options": {"a": {"b": ["\x00"]}}}, ("options",)),
            ({"options": {"\x00": 1}}, ("options",)),
            ({"labels": [{"text": "fine"}, {"text": "\x00"}]}, ("labels", 1, "text")),
        ],
    )
    def test_is_an_error_on_the_field_that_holds_it(self, body: dict[str, object], path: tuple[str | int, ...]) -> None:
        with pytest.raises(ValidationError) as caught:
            Everything.model_validate(body)
        problems = caught.value.errors()
        assert [problem["loc"] for problem in problems] == [path]
        assert problems[0]["msg"] == "must not contain the NUL character"

    def test_other_control_characters_and_unicode_pass(self) -> None:
        body = Everything(name="строка\n\t\x01", tags=("🙂",), options={"a": None, "b": 1.5}, number=0)
        assert body.name == "строка\n\t\x01"

    def test_every_nul_is_reported_at_once(self) -> None:
        with pytest.raises(ValidationError) as caught:
            Everything.model_validate({"name": "\x00", "tags": ["\x00"]})
        assert {problem["loc"] for problem in caught.value.errors()} == {("name",), ("tags",)}


class TestUnknownField:
    def test_is_an_error(self) -> None:
        with pytest.raises(ValidationError):
            Label.model_validate({"text": "a", "txt": "b"})
