import ast
import typing
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import ErrorType

from mlplace_kit.violations import RULES, Violation
from mlplace_runtime.web import findings

_ROOT = Path(__file__).parents[3]


class _Colour(StrEnum):
    RED = "RED"
    BLUE = "BLUE"


def _own(text: str) -> str:
    if text == "odd":
        raise PydanticCustomError("host_name", "must be a host name without scheme and port")
    if text == "named":
        raise PydanticCustomError("env_name", "{text}", {"text": "names it", "name": "A B"})
    if text == "elsewhere":
        raise PydanticCustomError("not_of_ours", "is of another library")
    return text


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=2, max_length=5, pattern="^[a-z]*$")] = "abc"
    number: Annotated[int, Field(ge=1, le=9)] = 1
    price: Annotated[Decimal, Field(gt=0, decimal_places=2)] = Decimal(1)
    items: Annotated[list[int], Field(max_length=2)] = []
    colour: _Colour = _Colour.RED
    kind: Literal["a", "b"] = "a"
    at: AwareDatetime | None = None
    own: Annotated[str, AfterValidator(_own)] = ""
    colours: Annotated[tuple[_Colour, ...], Field(min_length=1)] = (_Colour.RED,)


def _found(**values: object) -> dict[str, Violation]:
    with pytest.raises(ValidationError) as refused:
        _Shape.model_validate(values)
    return findings.violations_of(refused.value.errors())


class TestViolations:
    def test_list_whose_only_entry_is_wrong_is_not_called_too_short(self) -> None:
        assert {path: each.rule for path, each in _found(colours=["PINK"]).items()} == {"colours.0": "one_of"}
        assert {path: each.rule for path, each in _found(colours=[]).items()} == {"colours": "too_few"}

    @pytest.mark.parametrize(
        ("field", "value", "rule", "args"),
        [
            ("name", "abcdef", "too_long", {"max": "5"}),
            ("name", "a", "too_short", {"min": "2"}),
            ("name", "ABC", "pattern", {"pattern": "^[a-z]*$"}),
            ("name", 5, "wrong_type", {"expected": "text"}),
            ("number", 0, "at_least", {"min": "1"}),
            ("number", 10, "at_most", {"max": "9"}),
            ("number", "x", "wrong_type", {"expected": "integer"}),
            ("number", 1.5, "wrong_type", {"expected": "integer"}),
            ("price", "0", "above", {"min": "0"}),
            ("price", "0.001", "decimal_places", {"max": "2"}),
            ("items", [1, 2, 3], "too_many", {"max": "2"}),
            ("items", 5, "wrong_type", {"expected": "list"}),
            ("colour", "GREEN", "one_of", {"allowed": "RED, BLUE"}),
            ("kind", "c", "one_of", {"allowed": "a, b"}),
            ("at", "2026-11-21T00:00:00", "time_zone", {}),
            ("at", "soon", "wrong_type", {"expected": "moment"}),
            ("own", "odd", "host_name", {}),
            ("own", "named", "env_name", {"name": "A B"}),
            ("own", "elsewhere", "invalid", {}),
            ("more", 1, "unknown_field", {}),
        ],
    )
    def test_have_rule_and_arguments(self, field: str, value: object, rule: str, args: dict[str, str]) -> None:
        found = _found(**{field: value})[field]
        assert (found.rule, dict(found.args)) == (rule, args)

    def test_keep_the_message_of_pydantic(self) -> None:
        assert _found(more=1)["more"].message == "Extra inputs are not permitted"

    def test_name_inner_fields_after_the_prefix(self) -> None:
        with pytest.raises(ValidationError) as refused:
            _Shape.model_validate({"items": ["x"]})
        assert list(findings.violations_of(refused.value.errors(), "rawConfiguration.")) == ["rawConfiguration.items.0"]


def _given() -> set[str]:
    """Returns every rule that the sources give."""
    found = set(findings._RULES.values()) | {"wrong_type", "invalid"}
    for path in [*_ROOT.glob("libs/*/src/**/*.py"), *_ROOT.glob("services/*/src/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {
                "broken",
                "problem",
                "PydanticCustomError",
            }:
                name = node.args[0]
                choices = [name.body, name.orelse] if isinstance(name, ast.IfExp) else [name]
                found |= {str(choice.value) for choice in choices if isinstance(choice, ast.Constant)}
    return found | {"quantity", "positive", "number_too_large"}  # of quantities, chosen by their problem


class TestRules:
    def test_are_those_that_the_sources_give(self) -> None:
        assert _given() == set(RULES)

    def test_findings_map_only_errors_that_pydantic_has(self) -> None:
        known = set(typing.get_args(ErrorType))
        assert set(findings._RULES) <= known
        families = {findings._SUFFIX.sub("", kind) for kind in known}
        assert set(findings._TYPES) <= families
