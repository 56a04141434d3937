"""The mails of this service, in the user's language."""

from accountsadmin.features.recovery.tokens import Purpose
from accountsadmin.languages import Language
from mlplace_runtime.mail import Mail

_PATHS = {Purpose.RESET: "/c/reset-password", Purpose.CONFIRMATION: "/c/confirm-email"}
_TEXTS: dict[tuple[Purpose, Language], tuple[str, str]] = {
    (Purpose.RESET, "EN"): (
        "A new password",
        (
            "Somebody asked for a new password for {login}. If it was you, choose one within 30 minutes:\n\n{link}\n\n"
            "If it was not, do nothing: your password stays as it is.\n"
        ),
    ),
    (Purpose.RESET, "RU"): (
        "Новый пароль",
        (
            "Для {login} запросили новый пароль. Если это вы, задайте его в течение 30 минут:\n\n{link}\n\n"
            "Если не вы, ничего не делайте: пароль останется прежним.\n"
        ),
    ),
    (Purpose.CONFIRMATION, "EN"): (
        "Confirm your e-mail address",
        (
            "This address was given when {login} signed up. Confirm that it is yours:\n\n{link}\n\n"
            "If you did not sign up, do nothing.\n"
        ),
    ),
    (Purpose.CONFIRMATION, "RU"): (
        "Подтвердите адрес электронной почты",
        (
            "Этот адрес указали при регистрации {login}. Подтвердите, что он ваш:\n\n{link}\n\n"
            "Если вы не регистрировались, ничего не делайте.\n"
        ),
    ),
}


def mail_of(purpose: Purpose, *, login: str, language: Language, token: str, platform_url: str) -> Mail:
    """Puts the token after `#`, which browsers do not send to servers, so that it appears in no log."""
    subject, text = _TEXTS[purpose, language]
    link = f"{platform_url}{_PATHS[purpose]}#token={token}"
    return Mail(login, subject, text.format(login=login, link=link))
