"""Generates docs/settings.md: names, types and defaults from the classes, meanings from the docstrings of fields."""

import ast
import inspect
import itertools
import json
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import Enum, EnumType
from pathlib import Path
from typing import Annotated, Literal, cast, get_args, get_origin

from pydantic import BaseModel, HttpUrl, SecretStr
from pydantic_settings import BaseSettings

from accountsadmin.settings import AccountsadminSettings
from mlpbilling.settings import MlpbillingSettings
from mlpcore.settings import MlpcoreSettings
from mlpgateway.settings import MlpgatewaySettings
from mlplace_agent.config import AgentConfig, DockerOptions, Program
from mlplace_kit.settings import Settings, variable_of
from mlplace_runtime.mail import MailSettings
from mlplace_runtime.process.settings import ProcessSettings
from standalone.installation.settings import DemoSettings, PrepareSettings
from standalone.settings import StandaloneSettings

_HEAD = """# Settings

Settings are environment variables, read once at the start; an invalid value prevents the start with a message that
names it. Durations are seconds or ISO 8601 (`PT15M`), lists are JSON. Secrets are never logged. A value that contains
`change-me` is refused in production (`MLP_ENVIRONMENT=production`), and by a process that listens on addresses other
than the loopback.

[operating.md](operating.md) says which of them are in `.env` for `docker compose` and how to set the others. This page
is generated from the code by `make openapi`.
"""


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    introduction: str
    model: type[BaseModel]
    prefix: str = ""
    """Prefix of keys in a file; environment variables have the prefix of their class."""


SECTIONS = (
    Section("Every service", "Each process of the distributed shape, and the one-shot commands.", ProcessSettings),
    Section("Mail", "All services that send mail, and the all-in-one shape.", MailSettings),
    Section("accountsadmin", "", AccountsadminSettings),
    Section("mlpcore", "", MlpcoreSettings),
    Section("mlpgateway", "", MlpgatewaySettings),
    Section("mlpbilling", "Amounts are in units of the currency.", MlpbillingSettings),
    Section("Preparing an installation", "`python -m standalone.installation prepare`.", PrepareSettings),
    Section("The demo", "`python -m standalone.installation demo`.", DemoSettings),
    Section(
        "All in one",
        "`make run`, `mlplace run`. Options of the command line override the environment.",
        StandaloneSettings,
    ),
    Section(
        "The agent", "Keys of its JSON configuration file: `python -m mlplace_agent run --config FILE`.", AgentConfig
    ),
    Section("The agent: containers", "Keys below `docker`.", DockerOptions, "docker."),
    Section("The agent: programs", "Keys below each entry of `programs`.", Program, "programs.*."),
)


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    kind: str
    default: str
    meaning: str
    secret: bool


def render_settings() -> str:
    return _HEAD + "".join(_section(section) for section in SECTIONS)


def settings_of(section: Section) -> Iterator[Setting]:
    """Omits settings that all classes share, except in the section that documents them."""
    meanings = _meanings(section.model)
    for name, field in section.model.model_fields.items():
        if name in Settings.model_fields and section.model is not ProcessSettings:
            continue
        yield Setting(
            name=section.prefix + _variable(section.model, name),
            kind=_kind(field.annotation),
            default="required" if field.is_required() else _default(field.get_default(call_default_factory=True)),
            meaning=meanings.get(name, ""),
            secret=_is_secret(name, field.annotation),
        )


def _section(section: Section) -> str:
    lines = ["", f"## {section.title}", ""]
    if section.introduction:
        lines += [section.introduction, ""]
    lines += ["| name | kind | default | meaning |", "|---|---|---|---|"]
    for setting in settings_of(section):
        kind = f"{setting.kind}, secret" if setting.secret else setting.kind
        lines.append(f"| `{setting.name}` | {kind} | {setting.default} | {setting.meaning} |")
    return "\n".join(lines) + "\n"


def _variable(model: type[BaseModel], name: str) -> str:
    return variable_of(model, name) if issubclass(model, BaseSettings) else name


def _meanings(model: type[BaseModel]) -> dict[str, str]:
    """Docstrings of the fields, each in one line. A subclass overrides its base."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base.__module__.partition(".")[0] not in {"pydantic", "pydantic_settings"}:
            body = cast("ast.ClassDef", ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]).body
            for statement, following in itertools.pairwise(body):
                match statement, following:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                        found[name] = " ".join(text.split()).replace("|", "\\|")
                    case _:
                        pass
    return found


_KINDS: dict[object, str] = {
    bool: "`true` or `false`", int: "whole number", float: "number", Decimal: "number", timedelta: "duration",
    Path: "path", HttpUrl: "URL", tuple: "list", dict: "object",
}  # fmt: skip


def _kind(annotation: object) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(arguments[0])
    if origin is Literal:
        return _one_of(arguments)
    if type(None) in arguments:
        return " or ".join(_kind(argument) for argument in arguments if argument is not type(None))
    if isinstance(annotation, EnumType):
        return _one_of(member.value for member in cast("Iterable[Enum]", annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "object"
    return _KINDS.get(cast("object", origin or annotation), "text")


def _one_of(values: Iterable[object]) -> str:
    return "one of " + ", ".join(f"`{value}`" for value in values)


def _default(value: object) -> str:
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, BaseModel):
        return "see below"
    if value is None or value in ("", (), {}):
        return "–"
    return f"`{_text(value)}`"


def _text(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case Enum():
            return str(value.value)
        case timedelta():
            return _iso(value)
        case tuple():
            return json.dumps([_text(item) for item in cast("tuple[object, ...]", value)])
        case _:
            return str(value)


def _iso(duration: timedelta) -> str:
    seconds = int(duration.total_seconds()) % 86400
    time = f"T{seconds // 60}M" if seconds else ""
    return f"P{f'{duration.days}D' if duration.days else ''}{time}"


def _is_secret(name: str, annotation: object) -> bool:
    """Database URLs count as secrets, since they hold passwords."""
    return name.endswith("database_url") or SecretStr in {annotation, *get_args(annotation)}
