"""Recognises secrets among settings and masks them. Every answer of the platform masks settings with these functions.

A setting is a secret because of its name (`API_KEY`, `dbPassword`) or because of its value: an address with a password,
an assignment (`--token=…`), a private key, or a credential of a well-known form.
"""

import re
from collections.abc import Iterator
from typing import Final, cast

from mlplace_kit.credential_forms import WELL_KNOWN

MASK: Final = "********"
Json = object
"""A value that `json.loads` can return."""

_ANYWHERE: Final = re.compile(
    r"TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|PRIVATE|KEY|COOKIE|CONNECTIONSTRING|CONNECTION_STRING"
)
_AS_WORD: Final = frozenset({"PASS", "PWD", "AUTH", "AUTHORIZATION", "DSN", "SIGNATURE"})
_HARMLESS: Final = re.compile(r"TOKENIZ|KEYWORD|KEYBOARD|KEYFRAME|MONKEY|PUBLIC_?KEY")
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+", re.ASCII)
_ASSIGNMENT: Final = re.compile(
    r"""(?<![\w.-])(?P<name>[\w.-]{1,128})(?P<sign>[ ]?=[ ]?)(?P<value>"[^"]+"|'[^']+'|[^\s&;,"']+)""", re.ASCII
)
_PRIVATE_KEY: Final = "PRIVATE KEY-----"
_OPAQUE_USER: Final = 16  # maximal length in characters: a longer user name without a password is a token


class MaskedValueError(ValueError):
    """A mask was sent, but no stored value corresponds to it. `path` is its position, separated by dots."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(path)


def is_secret_name(name: str) -> bool:
    """Returns whether the words of the name, in any spelling, say that the setting holds a secret."""
    upper = _HARMLESS.sub("", name.upper().replace("-", "_"))
    if _ANYWHERE.search(upper):
        return True
    return any(word.upper() in _AS_WORD for word in _WORDS.findall(name))


def masked_text(text: str) -> str:
    """Returns the text with a mask in place of each secret that can be recognised by its form."""
    if _PRIVATE_KEY in text:
        return MASK
    if "://" in text and "@" in text:
        text = " ".join(map(_masked_address, text.split(" ")))
    if "=" in text:
        text = _ASSIGNMENT.sub(_masked_assignment, text)
    return WELL_KNOWN.sub(MASK, text)


def masked_value(name: str, value: str) -> str:
    """Returns the value of the setting as people see it. An empty value is not masked."""
    return MASK if value and is_secret_name(name) else masked_text(value)


def masked(document: Json, *, name: str = "") -> Json:
    """Returns the document with a mask for each secret. Numbers, booleans and `null` are never masked."""
    match document:
        case dict():
            return _masked_object(cast("dict[str, Json]", document), name)
        case list():
            return _masked_list(cast("list[Json]", document), name)
        case str():
            return masked_value(name, document)
        case _:
            return document


def with_kept(sent: Json, stored: Json) -> Json:
    """Returns `sent` with the stored value in place of each mask. Raises MaskedValueError.

    An entry of an object is found by its name, an entry of a list by its position or by all that it shows.
    """
    return _kept(sent, stored, masked(stored), ())


def holds_mask(document: Json) -> bool:
    match document:
        case dict():
            return any(map(holds_mask, cast("dict[str, Json]", document).values()))
        case list():
            return any(map(holds_mask, cast("list[Json]", document)))
        case str():
            return MASK in document
        case _:
            return False


def _masked_address(token: str) -> str:
    start, end = token.find("://") + 3, token.rfind("@")
    if start < 3 or end <= start:
        return token
    user, colon, password = token[start:end].partition(":")
    if colon and password:
        return f"{token[:start]}{user}:{MASK}{token[end:]}"
    if not colon and len(user) >= _OPAQUE_USER and "/" not in user:
        return f"{token[:start]}{MASK}{token[end:]}"
    return token


def _masked_assignment(found: re.Match[str]) -> str:
    return f"{found['name']}{found['sign']}{MASK}" if is_secret_name(found["name"]) else found[0]


def _masked_object(entries: dict[str, Json], name: str) -> dict[str, Json]:
    """Everything inside a secret is secret. `{name, value}` is another way to write an entry."""
    inside = name if is_secret_name(name) else ""
    said = entries.get("name")
    return {
        key: masked(value, name=inside or (said if key == "value" and isinstance(said, str) else key))
        for key, value in entries.items()
    }


def _masked_list(entries: list[Json], name: str) -> list[Json]:
    """`["--token", "x"]` is an option and its value."""
    inside = name if is_secret_name(name) else ""
    return [masked(entry, name=inside or before) for before, entry in zip(_options(entries), entries, strict=True)]


def _options(entries: list[Json]) -> Iterator[str]:
    before = ""
    for entry in entries:
        yield before
        before = entry if isinstance(entry, str) and entry.startswith("-") and "=" not in entry else ""


def _kept(sent: Json, stored: Json, shown: Json, path: tuple[str, ...]) -> Json:
    if not holds_mask(sent):
        return sent
    if sent == shown:
        return stored
    if isinstance(sent, dict) and isinstance(stored, dict) and isinstance(shown, dict):
        old, seen = cast("dict[str, Json]", stored), cast("dict[str, Json]", shown)
        new = cast("dict[str, Json]", sent)
        return {key: _kept(value, old.get(key), seen.get(key), (*path, key)) for key, value in new.items()}
    if isinstance(sent, list) and isinstance(stored, list) and isinstance(shown, list):
        return _kept_list(cast("list[Json]", sent), cast("list[Json]", stored), cast("list[Json]", shown), path)
    raise MaskedValueError(".".join(path))


def _kept_list(sent: list[Json], stored: list[Json], shown: list[Json], path: tuple[str, ...]) -> list[Json]:
    result: list[Json] = []
    for place, entry in enumerate(sent):
        alike = [number for number, known in enumerate(shown) if known == entry]
        if not holds_mask(entry):
            result.append(entry)
        elif place in alike and (len(sent) == len(stored) or len(alike) == 1):
            result.append(stored[place])
        elif len(alike) == 1:
            result.append(stored[alike[0]])
        else:
            raise MaskedValueError(".".join((*path, str(place))))
    return result
