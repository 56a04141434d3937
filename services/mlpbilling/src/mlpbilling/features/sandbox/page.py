"""The sandbox's payment page: plain HTML without scripts, in Russian and English. Its style is allowed by hash."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import urlsplit

from mlpbilling.features.sandbox.cards import ACCEPTED, REFUSED
from mlpbilling.features.sandbox.tables import SandboxPayment
from mlpbilling.payment_provider import Outcome
from mlplace_kit.money import Currency, from_nano

_STYLE = """
:root{color-scheme:light dark;--edge:#6b7280;--accent:#1d4ed8;--on-accent:#fff;--error:#b91c1c}
@media(prefers-color-scheme:dark){:root{--edge:#9ca3af;--accent:#93c5fd;--on-accent:#0b1220;--error:#fca5a5}}
body{font:16px/1.5 system-ui,sans-serif;margin:0;padding:2rem 1rem}
main{max-width:26rem;margin:0 auto}
h1{font-size:1.25rem;margin:0 0 .25rem}
.amount{font-size:2rem;font-weight:600;margin:1rem 0}
.note,.error{border-left:.25rem solid var(--edge);padding:.5rem .75rem;margin:1rem 0}
.error{border-color:var(--error);color:var(--error)}
label{display:block;font-weight:600;margin-bottom:.25rem}
input{box-sizing:border-box;width:100%;font:inherit;padding:.6rem;border:1px solid var(--edge);border-radius:.4rem}
.actions{display:flex;flex-wrap:wrap;gap:.5rem;margin-top:1rem}
button,.back{font:inherit;padding:.6rem 1rem;border:1px solid var(--edge);border-radius:.4rem;background:none;
color:inherit;cursor:pointer;text-decoration:none}
button.first,.back{background:var(--accent);border-color:var(--accent);color:var(--on-accent);flex-basis:100%;
text-align:center}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


@dataclass(frozen=True, slots=True)
class Texts:
    title: str
    note: str
    number: str
    hint: str
    pay: str
    decline: str
    cancel: str
    invalid: str
    back: str
    endings: Mapping[str, str]
    currencies: Mapping[Currency, str]
    other: tuple[str, str]
    """Code and name of the other language."""


_OVER = "OVER"
_GOOD, _BAD = (number.replace(" ", "\u00a0") for number in (ACCEPTED, REFUSED))  # kept on one line
TEXTS = {
    "en": Texts(
        title="Test payment",
        note="This is a sandbox: no real card is charged, and no real card number belongs here.",
        number="Card number",
        hint=f"{_GOOD} is accepted, {_BAD} is declined by the bank.",
        pay="Pay",
        decline="Decline as the bank",
        cancel="Cancel",
        invalid="Enter a card number: the test cards are named below the field.",
        back="Back to the platform",
        endings={
            Outcome.PAID: "The payment is made.",
            Outcome.DECLINED: "The bank declined the payment.",
            Outcome.CANCELLED: "The payment was cancelled.",
            _OVER: "The time to pay is over.",
        },
        currencies={Currency.RUBLE: "₽", Currency.TOKEN: "tokens"},
        other=("ru", "Русский"),
    ),
    "ru": Texts(
        title="Тестовый платёж",
        note="Это песочница: деньги с карты не списываются, настоящий номер карты здесь не нужен.",
        number="Номер карты",
        hint=f"{_GOOD} — платёж пройдёт, {_BAD} — банк откажет.",
        pay="Оплатить",
        decline="Отказать за банк",
        cancel="Отменить",
        invalid="Введите номер карты: тестовые карты указаны под полем.",
        back="Вернуться на платформу",
        endings={
            Outcome.PAID: "Платёж выполнен.",
            Outcome.DECLINED: "Банк отклонил платёж.",
            Outcome.CANCELLED: "Платёж отменён.",
            _OVER: "Время на оплату истекло.",
        },
        currencies={Currency.RUBLE: "₽", Currency.TOKEN: "токенов"},
        other=("en", "English"),
    ),
}


def language_of(wanted: str | None, accepted: str) -> str:
    """Returns the requested language, or else the browser's preferred one of the two, or else Russian."""
    if wanted in TEXTS:
        return wanted
    places = {code: place for code in TEXTS if (place := accepted.lower().find(code)) >= 0}
    return min(places, key=places.__getitem__, default="ru")


def headers_of(return_url: str) -> dict[str, str]:
    """`form-action` also applies to redirects of the form's response, which may lead to another of our domains."""
    parts = urlsplit(return_url)
    origin = f"{parts.scheme}://{parts.netloc}"
    policy = (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self' {origin}; "
        "frame-ancestors 'none'; base-uri 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "Referrer-Policy": "same-origin",  # with `no-referrer` the form's Origin would be "null", which is refused
        "X-Frame-Options": "DENY",
        "Cache-Control": "no-store",
    }


def payment_page(payment: SandboxPayment, language: str, *, is_open: bool, invalid: bool = False) -> str:
    texts = TEXTS[language]
    amount = f"{from_nano(payment.amount_nano):.2f} {texts.currencies[Currency(payment.currency)]}"
    body = _form(texts, invalid=invalid) if is_open else _ending(payment, texts)
    code, name = texts.other
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{texts.title}: {amount}</title><style>{_STYLE}</style></head><body><main>"
        f'<h1>{texts.title}</h1><p class="amount">{amount}</p><p class="note">{texts.note}</p>{body}'
        f'<p><a href="?lang={code}" lang="{code}" hreflang="{code}">{name}</a></p></main></body></html>'
    )


def _form(texts: Texts, *, invalid: bool) -> str:
    error = f'<p class="error" id="error" role="alert">{texts.invalid}</p>' if invalid else ""
    described = "hint error" if invalid else "hint"
    return (
        f'{error}<form method="post"><label for="card">{texts.number}</label>'
        '<input id="card" name="card" inputmode="numeric" autocomplete="off" required maxlength="23" '
        f'aria-describedby="{described}"{" aria-invalid=true" if invalid else ""}>'
        f'<p id="hint">{texts.hint}</p><div class="actions">'
        f'<button class="first" name="action" value="pay">{texts.pay}</button>'
        f'<button name="action" value="decline" formnovalidate>{texts.decline}</button>'
        f'<button name="action" value="cancel" formnovalidate>{texts.cancel}</button></div></form>'
    )


def _ending(payment: SandboxPayment, texts: Texts) -> str:
    outcome = _OVER if payment.outcome == Outcome.OPEN else payment.outcome
    return (
        f'<p role="status">{texts.endings[outcome]}</p>'
        f'<p class="actions"><a class="back" href="{escape(payment.return_url)}">{texts.back}</a></p>'
    )
