"""Secrets within a model's settings: stored encrypted, shown masked.

The columns hold masked values. `settings_sealed` holds, encrypted, the complete values of the columns with masks. It is
NULL in rows of an earlier version, whose columns hold the complete values.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from pydantic.alias_generators import to_camel

from mlpcore.features.models.settings.texts import parse_json
from mlpcore.features.models.tables import Model
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.masking import MASK, MaskedValueError, holds_mask, masked, with_kept
from mlplace_kit.violations import broken
from mlplace_runtime.db.sealed import SealedColumn
from mlplace_runtime.secrets import UnreadableSecretError, Vault

_JSON_TEXTS: Final = ("env", "config", "deployment_patch")
_LISTS: Final = ("additional_flags",)
HIDING: Final = (*_JSON_TEXTS, *_LISTS)


@dataclass(frozen=True, slots=True)
class WholeSettings:
    """The settings with their secrets. Only the start of an instance may use them."""

    env: dict[str, str]
    config: str
    additional_flags: tuple[str, ...]


class HiddenSettings:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def write(self, model: Model, sent: Mapping[str, object]) -> dict[str, object]:
        """Encrypts the settings that were sent and returns the columns to write.

        A mask stands for the stored value. Raises ValidationFailed for a mask without a stored value.
        """
        try:
            before = self._whole(model)
        except UnreadableSecretError:
            if not any(name in sent for name in HIDING):
                return dict(sent)
            before = _without_what_is_lost(model, sent)
        whole = {
            name: merged_setting(name, sent[name], before[name]) if name in sent else before[name] for name in HIDING
        }
        shown = {name: masked_setting(name, value) for name, value in whole.items()}
        hidden = {name: whole[name] for name in HIDING if whole[name] != shown[name]}
        SETTINGS.write(model, json.dumps(hidden), self._vault)
        return {**sent, **shown}

    def seal_row_of_before(self, model: Model) -> None:
        for name, value in self.write(model, {}).items():
            setattr(model, name, value)

    def reveal(self, model: Model) -> WholeSettings:
        """Raises UnreadableSecretError."""
        whole = self._whole(model)
        env = _parsed("env", whole["env"])
        flags = cast("list[str]", whole["additional_flags"] or [])
        return WholeSettings(
            env={name: value if isinstance(value, str) else json.dumps(value) for name, value in _entries(env).items()},
            config=str(whole["config"] or "{}"),
            additional_flags=tuple(flags),
        )

    def compared(self, model: Model) -> dict[str, object]:
        """Returns the complete documents of the settings that hide something, in order to compare them with others.

        Where no key opens the secrets, they are masked.
        """
        try:
            whole = self._whole(model)
        except UnreadableSecretError:
            whole = {name: getattr(model, name, None) for name in HIDING}
        return {name: _parsed(name, value) for name, value in whole.items()}

    def _whole(self, model: Model) -> dict[str, object]:
        stored: dict[str, object] = {name: getattr(model, name, None) for name in HIDING}
        if model.settings_sealed is None:
            return stored
        sealed = cast("dict[str, object]", json.loads(SETTINGS.read(model, self._vault)))
        return stored | {name: _newer(name, stored[name], value) for name, value in sealed.items()}


def _without_what_is_lost(model: Model, sent: Mapping[str, object]) -> dict[str, object]:
    """Returns the stored values where no key opens their secrets. Raises ValidationFailed for masks that stay."""
    shown: dict[str, object] = {name: getattr(model, name, None) for name in HIDING}
    lost = [name for name, value in shown.items() if holds_mask(_parsed(name, value))]
    if kept := [name for name in lost if name not in sent]:
        raise ValidationFailed({to_camel(name): broken("secret_unknown") for name in kept})
    return shown | dict.fromkeys(lost)


def masked_setting(name: str, value: object) -> object:
    """Returns the value of a column with its secrets masked; the same value when it has none."""
    document = _parsed(name, value)
    shown = masked(document)
    return value if shown == document else _written(name, shown, like=value)


def without_secrets(name: str, value: object) -> object:
    """Returns the value without its secrets and without masks, for a clone of another account's model."""
    shown = masked(_parsed(name, value))
    bare = _flags_without_masks(cast("list[str]", shown)) if name in _LISTS else _bare(shown)
    return _written(name, bare, like=value)


def _flags_without_masks(flags: list[str]) -> list[str]:
    """Removes masked flags. Removes the option before a masked value, too: `-e`, `TOKEN=…`."""
    kept: list[str] = []
    for flag in flags:
        if not _is_masked(flag):
            kept.append(flag)
        elif kept and kept[-1].startswith("-") and "=" not in kept[-1] and not flag.startswith("-"):
            kept.pop()
    return kept


def names_alone(env: str) -> str:
    """Returns the variables with every value masked, for people who may read a model but not change it."""
    return json.dumps(dict.fromkeys(_entries(_parsed("env", env)), MASK), ensure_ascii=False)


def env_names(env: str) -> frozenset[str]:
    return frozenset(_entries(_parsed("env", env)))


def merged_setting(name: str, sent: object, stored: object) -> object:
    """Returns the sent value with each mask replaced by the stored value. Raises ValidationFailed."""
    document = _parsed(name, sent)
    if not holds_mask(document):
        return sent
    try:
        return _written(name, with_kept(document, _parsed(name, stored)), like=sent)
    except MaskedValueError as error:
        field = ".".join(filter(None, (to_camel(name), error.path)))
        raise ValidationFailed({field: broken("secret_unknown")}) from error


def _newer(name: str, column: object, sealed: object) -> object:
    """Returns the sealed value, or the column's value when a replica of an earlier version has written it since."""
    if masked_setting(name, sealed) == column:
        return sealed
    try:
        return merged_setting(name, column, sealed)
    except ValidationFailed:
        return sealed


def _parsed(name: str, value: object) -> object:
    if name in _LISTS:
        return list(cast("list[object]", value or []))
    return parse_json(str(value)) if value else {}


def _written(name: str, document: object, *, like: object) -> object:
    if name in _LISTS:
        return document
    return json.dumps(document, ensure_ascii=False, indent=2 if "\n" in str(like).strip() else None)


def _bare(document: object) -> object:
    match document:
        case dict():
            entries = cast("dict[str, object]", document)
            return {key: _bare(value) for key, value in entries.items() if not _is_masked(value)}
        case list():
            return [_bare(entry) for entry in cast("list[object]", document) if not _is_masked(entry)]
        case _:
            return document


def _is_masked(value: object) -> bool:
    return isinstance(value, str) and MASK in value


def _entries(document: object) -> dict[str, object]:
    return cast("dict[str, object]", document) if isinstance(document, dict) else {}


SETTINGS = SealedColumn(
    "settings of services",
    Model,
    key=Model.model_id,
    sealed=Model.settings_sealed,
    purpose="model-settings:{account_id}",
    unused=Model.deleted_at.is_not(None),
)
