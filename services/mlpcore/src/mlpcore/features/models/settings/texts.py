"""Types of a model's texts with a format: JSON, environment variables, paths, links."""

import re
from typing import Annotated, LiteralString

from pydantic import AfterValidator, StringConstraints
from pydantic_core import PydanticCustomError, from_json

from mlplace_contracts.environment import PLATFORM_NAMES
from mlplace_kit.json_text import BYTE_ORDER_MARK, HALF_A_PAIR, lacks_only_half_a_pair
from mlplace_kit.violations import shown_path

_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}", re.ASCII)
_SYSTEM_PREFIXES = ("LD_", "DOCKER_", "NVIDIA_")
_MAX_TEXT = 256 * 1024
_MOST_DEPTH = 200
"""As the parser has it. Masking secrets builds the values and walks through them."""
_MOST_DIGITS = 4300
"""As the parser has it."""
MAX_ENV_VALUE = 32 * 1024
_MARK = BYTE_ORDER_MARK.decode()


def problem(rule: LiteralString, text: str, **args: str) -> PydanticCustomError:
    """Returns an error of a field validator. Callers see `text` unchanged, the rule and its arguments."""
    return PydanticCustomError(rule, "{text}", {"text": text, **args})


def parse_json(text: str) -> object:
    """Raises PydanticCustomError for anything but one JSON value, nested at most as deep as the parser reads it."""
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise _problem_of(str(error), text) from error


def _problem_of(found: str, text: str) -> PydanticCustomError:
    """`found` is what the parser says of the text."""
    if found.startswith("recursion limit"):
        return problem("json_depth", f"must be nested at most {_MOST_DEPTH} deep", max=str(_MOST_DEPTH))
    if found.startswith("number out of range"):
        return problem("json_number", f"holds a number of more than {_MOST_DIGITS} digits", max=str(_MOST_DIGITS))
    if lacks_only_half_a_pair(text, _is_json):
        return problem("json_text", f"must be JSON text; {HALF_A_PAIR}")
    return problem("json_text", "must be JSON text")


def _is_json(text: bytes) -> bool:
    try:
        from_json(text, allow_inf_nan=False)
    except ValueError:
        return False
    return True


def _without_mark(text: str) -> str:
    """Returns the text without a byte order mark, which is left out as before the body of a request."""
    return text.removeprefix(_MARK)


def _check_json(text: str) -> str:
    text = _without_mark(text)
    parse_json(text)
    return text


def _check_object(text: str) -> str:
    text = _without_mark(text)
    if not isinstance(parse_json(text), dict):
        raise problem("json_object", "must be the text of a JSON object")
    return text


def parse_env(text: str) -> dict[str, str]:
    """Returns the variables. Raises PydanticCustomError for an invalid text and for names that may not be set."""
    found = parse_json(text)
    if not isinstance(found, dict):
        raise problem("env_object", "must be the text of a JSON object with string values")
    variables: dict[str, str] = {}
    for name, value in found.items():  # pyright: ignore[reportUnknownVariableType]  # JSON: checked right here
        variables[_env_name(str(name))] = _env_value(str(name), value)  # pyright: ignore[reportUnknownArgumentType]  # same
    return variables


def _env_name(name: str) -> str:
    if not _ENV_NAME.fullmatch(name):
        raise problem(
            "env_name",
            f"{name[:64]!r} is not a valid name of a variable: use letters, digits and _",
            name=shown_path(name[:64]),
        )
    if name.upper().startswith(_SYSTEM_PREFIXES) or name.upper() in PLATFORM_NAMES:
        raise problem("env_platform", f"{name} is set by the platform", name=name)
    return name


def _env_value(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise problem("env_value", f"the value of {name} must be a string", name=name)
    if "\x00" in value or len(value) > MAX_ENV_VALUE:
        raise problem(
            "env_value_size",
            f"the value of {name} is too long or contains the NUL character",
            name=name,
            max=str(MAX_ENV_VALUE),
        )
    return value


def _check_env(text: str) -> str:
    text = _without_mark(text)
    parse_env(text)
    return text


JsonText = Annotated[str, StringConstraints(max_length=_MAX_TEXT), AfterValidator(_check_json)]
JsonObjectText = Annotated[str, StringConstraints(max_length=_MAX_TEXT), AfterValidator(_check_object)]
EnvName = Annotated[str, StringConstraints(max_length=128), AfterValidator(_env_name)]
SecretName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$")]
EnvText = Annotated[str, StringConstraints(max_length=_MAX_TEXT), AfterValidator(_check_env)]

Line = StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=256)
ShortText = Annotated[str, Line]
Flag = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=1024)]
LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$")]
WebLink = Annotated[str, StringConstraints(pattern=r"^https?://[^\s\x00-\x1f\x7f\"'<>]+$", max_length=1024)]
HttpPath = Annotated[str, StringConstraints(pattern=r"^/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*$", max_length=1024)]
