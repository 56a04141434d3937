"""Generates documents from the code: the OpenAPI snapshots, the error codes and the settings."""

import importlib
import json
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from fastapi import FastAPI

import accountsadmin.main
import mlpbilling.main
import mlpcore.main
import mlpgateway.main
from mlplace_kit.errors import DomainError, catalogue
from mlplace_kit.violations import RULES
from standalone.settings_page import render_settings

BUILDERS: dict[str, Callable[[], FastAPI]] = {
    "accountsadmin": accountsadmin.main.build_app,
    "mlpcore": mlpcore.main.build_app,
    "mlpgateway": mlpgateway.main.build_app,
    "mlpbilling": mlpbilling.main.build_app,
}
_PACKAGES = ("mlplace_kit", "mlplace_contracts", "mlplace_runtime", *BUILDERS)
_ERRORS = """# Errors

Errors have this format, also those of `tts`. OpenAI's addresses have [another one](adapters.md), and under `/http/` an
error of the model has the form that the model gave it:
`{"code", "message", "status", "args", "requestId"}`. `args` contains the values in the message; for invalid input it
maps the path of each field to its error, and `violations` lists the rule that each value breaks:
`{"path", "rule", "args"}`, with a rule of the second table. At most 50 fields are named. Errors of a called model
have the code that the model chose. Messages are in English. This page is generated from the code by `make openapi`.

If the answer has `Retry-After`, try again after so many seconds. A 408, 500, 502, 503 or 504 without it may pass, too:
something failed, was lost or was too slow. A repeated call may run the model twice; `Idempotency-Key` prevents a second
charge. Any other error comes again until the request, or what the message names, has changed.

| code | status | message |
|---|---|---|
{errors}

## Rules of invalid input

A message may say more than the one here; the rule and its arguments are stable.

| rule | message |
|---|---|
{rules}
"""
_ERRORS_IN_RUSSIAN = """# Ошибки

У ошибок такой вид, в том числе у ошибок `tts`. У адресов OpenAI [другой вид](adapters.md), а под `/http/` ошибка модели
имеет тот вид, который ей придала модель:
`{"code", "message", "status", "args", "requestId"}`. В `args` — значения из сообщения; если неверны входные данные,
там для пути каждого поля указана его ошибка, а в `violations` — правило, нарушенное значением:
`{"path", "rule", "args"}`; правила — во второй таблице. Названо не больше 50 полей. Код ошибки вызванной модели
выбирает модель. Сообщения приходят на английском. Эту страницу создаёт из кода `make openapi`.

Если в ответе есть `Retry-After`, повторите запрос через столько секунд. Ошибка 408, 500, 502, 503 или 504 без него тоже
может пройти: что-то дало сбой, потеряно или не успело. Повторный вызов может выполнить модель дважды;
`Idempotency-Key` защищает от второй оплаты. Любая другая ошибка повторится, пока не изменится запрос или то, что
названо в сообщении.

| код | статус | сообщение |
|---|---|---|
{errors}

## Правила для входных данных

Сообщение может быть подробнее, чем здесь; правило и его аргументы не меняются.

| правило | сообщение |
|---|---|
{rules}
"""


def render() -> dict[str, str]:
    """Returns the text of each document by its path in the checkout."""
    documents = {
        f"frontend/src/api/openapi/{name}.json": json.dumps(build().openapi(), indent=1, ensure_ascii=False) + "\n"
        for name, build in BUILDERS.items()
    }
    return documents | {
        "docs/errors.md": render_errors(),
        "docs/ru/errors.md": render_errors(_ERRORS_IN_RUSSIAN),
        "docs/settings.md": render_settings(),
    }


def render_errors(page: str = _ERRORS) -> str:
    """Returns the page with its two tables."""
    rows = {f"| `{error.code}` | {error.status} | {error.message} |" for error in errors() if error.code}
    rules = [f"| `{rule}` | {message} |" for rule, message in sorted(RULES.items())]
    # Not format: the rows and the text have braces of their own.
    return page.replace("{errors}", "\n".join(sorted(rows))).replace("{rules}", "\n".join(rules))


def errors() -> list[type[DomainError]]:
    """The platform's error classes."""
    for package in _PACKAGES:
        _import_errors(importlib.import_module(package))
    return [error for error in catalogue() if error.__module__.partition(".")[0] in _PACKAGES]


def write_documents(root: Path) -> Iterator[Path]:
    for name, text in render().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        yield path


def _import_errors(package: ModuleType) -> None:
    """Import all modules of the package, which registers their error classes."""
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if ".migrations" not in module.name:
            importlib.import_module(module.name)
