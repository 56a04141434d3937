"""The mail that tells whom a key names that it ends."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from mlplace_runtime.mail import Mail

_ENGLISH: Final = (
    "An API key expires soon",
    """The API key {key} expires on {moment:%d.%m.%Y %H:%M} UTC. Programs that call with it are refused from then on.

Whoever may change the account's keys can give it more time, or make another one.
""",
)
_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "EN": _ENGLISH,
    "RU": (
        "Срок действия API-ключа истекает",
        """Срок действия API-ключа {key} истекает {moment:%d.%m.%Y %H:%M} UTC. Вызовы с ним после этого отклоняются.

Продлить ключ или создать другой может тот, кто управляет ключами аккаунта.
""",
    ),
}


def expiry_mail(to: str, *, key: str, expires: datetime, language: str) -> Mail:
    """The name of the key, which its owner chose, stands in the text alone, on one line."""
    subject, text = _TEXTS.get(language, _ENGLISH)
    return Mail(to, subject, text.format(key=" ".join(key.split()), moment=expires))
