"""Which logins are one mailbox. A login is an address in its normal form; several of them may arrive in one place."""

import unicodedata
from typing import Final

_SAME_DOMAIN: Final = {
    "googlemail.com": "gmail.com",
    "protonmail.com": "proton.me",
    "protonmail.ch": "proton.me",
    "pm.me": "proton.me",
    "me.com": "icloud.com",
    "mac.com": "icloud.com",
    **dict.fromkeys(
        ("ya.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.ua", "yandex.com.tr", "narod.ru"), "yandex.ru"
    ),
}
_DOTS_IGNORED: Final = frozenset({"gmail.com", "proton.me"})
_DOTS_ARE_HYPHENS: Final = frozenset({"yandex.ru"})


def mailbox_of(login: str) -> str:
    """The mailbox that mail to the login arrives in, as far as the rules of the large providers are known.

    What follows a `+` names no other person, at whichever provider. Letters that look alike by their compatibility form
    are one; so are upper and lower case, which no provider in use tells apart.
    """
    local, _, domain = unicodedata.normalize("NFKC", login).casefold().rpartition("@")
    domain = _ascii(domain.rstrip("."))
    domain = _SAME_DOMAIN.get(domain, domain)
    name, _, _ = local.partition("+")
    if domain in _DOTS_IGNORED:
        name = name.replace(".", "")
    if domain in _DOTS_ARE_HYPHENS:
        name = name.replace(".", "-")
    return f"{name or local}@{domain}"


def _ascii(domain: str) -> str:
    try:
        return domain.encode("idna").decode("ascii")
    except UnicodeError:
        return domain
