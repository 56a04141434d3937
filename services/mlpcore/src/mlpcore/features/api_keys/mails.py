"""The mails to the addresses that a key names: the key expires soon, or its spending limit is nearly or fully used."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from mlplace_contracts.events import KeySpendingNoticed
from mlplace_kit.money import exact
from mlplace_runtime.mail import Mail

_ENGLISH: Final = (
    "An API key expires soon",
    """The API key {key} expires on {moment:%d.%m.%Y %H:%M} UTC. Programs that call with it are refused from then on.

Anybody who may change the account's keys can extend it, or create another one.
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
    """The key's name is user input: it appears in the text only, on one line, and never in the subject."""
    subject, text = _TEXTS.get(language, _ENGLISH)
    return Mail(to, subject, text.format(key=" ".join(key.split()), moment=expires))


_Words = tuple[str, str]
_NEAR_ENGLISH: Final = (
    "An API key has used most of its spending limit",
    """The API key {key} has used most of its spending limit: a fifth of {limit} or less is left. When the
limit is used up, calls that the key pays for are refused.

Anybody who may change the account's keys can raise the limit.
""",
)
_SPENT_ENGLISH: Final = (
    "A spending limit of an API key does not cover a call",
    """The rest of the spending limit of the API key {key} ({limit}) did not cover a call. Calls that the key
pays for are refused.

Anybody who may change the account's keys can raise the limit.
""",
)
_SPENDING: Final[Mapping[str, tuple[_Words, _Words]]] = {
    "EN": (_NEAR_ENGLISH, _SPENT_ENGLISH),
    "RU": (
        (
            "API-ключ израсходовал большую часть лимита",
            """API-ключ {key} израсходовал большую часть лимита расходов: из {limit} осталась пятая часть или
меньше. Когда лимит закончится, вызовы, которые он оплачивает, будут отклоняться.

Увеличить лимит может тот, кто управляет ключами аккаунта.
""",
        ),
        (
            "Лимит расходов API-ключа не покрывает вызов",
            """Остатка лимита расходов API-ключа {key} ({limit}) не хватило на вызов. Вызовы, которые
он оплачивает, отклоняются.

Увеличить лимит может тот, кто управляет ключами аккаунта.
""",
        ),
    ),
}
_PERIODS: Final[Mapping[str, Mapping[str, str]]] = {
    "EN": {"MINUTE": " a minute", "HOUR": " an hour", "DAY": " a day", "MONTH": " a month"},
    "RU": {"MINUTE": " в минуту", "HOUR": " в час", "DAY": " в день", "MONTH": " в месяц"},
}
_MONEY: Final[Mapping[str, Mapping[str, str]]] = {
    "EN": {"RUBLE": " roubles", "TOKEN": " tokens"},
    "RU": {"RUBLE": " руб.", "TOKEN": " ток."},
}


def spending_mail(to: str, *, key: str, event: KeySpendingNoticed, language: str) -> Mail:
    """Treats the key's name as `expiry_mail` does."""
    spoken = language if language in _SPENDING else "EN"
    subject, text = _SPENDING[spoken][event.exhausted]
    return Mail(to, subject, text.format(key=" ".join(key.split()), limit=_limit(event, spoken)))


def _limit(event: KeySpendingNoticed, spoken: str) -> str:
    """Returns a text such as `100 roubles a day`."""
    rule = event.rule
    return (
        f"{exact(rule.amount_nano)}{_MONEY[spoken].get(rule.currency or '', '')}{_PERIODS[spoken].get(rule.period, '')}"
    )
