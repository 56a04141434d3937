"""Recognizes logins that belong to the same mailbox, since several addresses may deliver to one mailbox."""

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
    """Returns the mailbox that receives mail to the login, by the known rules of the large providers.

    A suffix after `+` never means another person, at any provider. Letters with the same compatibility form are treated
    as equal, and so are upper and lower case, which no relevant provider distinguishes.
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
