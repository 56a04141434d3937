"""The mail about an invitation. It contains no secret: the invited person has to sign in to answer."""

from accountsadmin.languages import Language
from mlplace_runtime.mail import Mail

_TEXTS: dict[Language, tuple[str, str]] = {
    "EN": (
        "An invitation to {account}",
        "You are invited to the account {account}. Sign in, or sign up with this address, and answer:\n\n{link}\n",
    ),
    "RU": (
        "Приглашение в {account}",
        "Вас приглашают в аккаунт {account}. Войдите или зарегистрируйтесь с этим адресом и ответьте:\n\n{link}\n",
    ),
}


def invitation_mail(*, email: str, account: str, language: Language, platform_url: str) -> Mail:
    subject, text = _TEXTS[language]
    name = " ".join(account.split())
    return Mail(email, subject.format(account=name), text.format(account=name, link=f"{platform_url}/c/select-account"))
