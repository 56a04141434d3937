"""The mail with the notifications of an account."""

from collections.abc import Mapping, Sequence
from typing import Final

from mlpcore.features.notifications.tables import Notification
from mlplace_runtime.mail import Mail

_Words = tuple[str, str, str]
_ENGLISH: Final[_Words] = (
    "Notifications of your account",
    "New notifications of the account {account}, times are UTC:",
    "All notifications: {console}\nChoose which ones are mailed: the bell in the console, then Settings.",
)
_TEXTS: Final[Mapping[str, _Words]] = {
    "EN": _ENGLISH,
    "RU": (
        "Уведомления вашего аккаунта",
        "Новые уведомления аккаунта {account}, время UTC:",
        "Все уведомления: {console}\nВыбрать, о чём приходят письма: колокольчик в консоли, затем «Настройки».",
    ),
}
_EVENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "EN": {
        "SERVICE_ERRORS": "Error of a service",
        "SERVICE_RESTART": "Restart of a service",
        "INSTANCE_START_AND_STOP": "Start or stop of instances",
        "INSTANCE_EVICTION": "Eviction of an instance",
        "SERVER_ERRORS": "State of a server",
        "ACCOUNT": "Account",
    },
    "RU": {
        "SERVICE_ERRORS": "Ошибка сервиса",
        "SERVICE_RESTART": "Перезапуск сервиса",
        "INSTANCE_START_AND_STOP": "Запуск или остановка экземпляров",
        "INSTANCE_EVICTION": "Вытеснение экземпляра",
        "SERVER_ERRORS": "Состояние сервера",
        "ACCOUNT": "Аккаунт",
    },
}
"""By NotificationEvent."""


def digest(to: str, notifications: Sequence[Notification], *, account: str, language: str, console: str) -> Mail:
    """Names and messages are user input: they appear in the text only, each on one line, and never in the subject."""
    spoken = language if language in _TEXTS else "EN"
    subject, first, last = _TEXTS[spoken]
    lines = [_line(one, _EVENTS[spoken]) for one in notifications]
    page = f"{console.rstrip('/')}/workspace"
    text = "\n".join([first.format(account=account), "", *lines, "", last.format(console=page), ""])
    return Mail(to, subject, text)


def _line(notification: Notification, events: Mapping[str, str]) -> str:
    event = events.get(notification.event or "", "")
    message = " ".join(notification.text_message.split())
    return f"{notification.created_at:%d.%m.%Y %H:%M}  {event}: {message}"
