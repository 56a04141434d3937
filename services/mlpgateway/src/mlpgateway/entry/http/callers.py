"""Reads the caller of an HTTP request; credentials are not looked up yet."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from starlette.requests import HTTPConnection, cookie_parser
from starlette.types import Scope

from mlpgateway.call.call import Caller
from mlpgateway.call.context import check_priorities
from mlplace_gateproto import headers as names
from mlplace_kit.prices import least_max_price
from mlplace_runtime.auth.authenticator import (
    API_KEY_HEADER,
    CREDENTIALS,
    SELECTED_ACCOUNT_COOKIE,
    CookieNames,
    expect_one_each,
    refuse_cross_site,
)

API_KEY: Final = API_KEY_HEADER.lower()
BILLING_KEY: Final = names.BILLING_KEY.lower()
_MAX_PRICE: Final = names.MAX_PRICE.lower()
PRIORITY: Final = names.PRIORITY.lower()
_TO_INSTANCE: Final = {name.lower(): name for name in (names.PRIORITY, names.CONTENT_HIDDEN, names.CALL_CHAIN)}
_SINGLE: Final = {**CREDENTIALS, BILLING_KEY.encode(): names.BILLING_KEY}
_CREDENTIALS_OR_PAYER: Final = frozenset(name.decode() for name in _SINGLE)
_MOST_HEADER = 512


def headers_of(scope: Scope) -> dict[str, str]:
    """Returns the headers by lower-case name; of a repeated name the first value."""
    raw: Sequence[tuple[bytes, bytes]] = scope["headers"]
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(raw)}


def headers_to_instance(headers: Mapping[str, str]) -> dict[str, str]:
    return {canonical: value[:_MOST_HEADER] for name, canonical in _TO_INSTANCE.items() if (value := headers.get(name))}


def caller_of(scope: Scope, headers: Mapping[str, str], *, cookies: CookieNames) -> Caller:
    """Returns the caller. A key takes precedence over a session.

    Raises AccessDenied for a request of another site that uses the session cookie, ValidationFailed for a maximum price
    that is not an amount, for a priority that is no whole number, and for several keys.
    """
    if not _CREDENTIALS_OR_PAYER.isdisjoint(headers):
        expect_one_each(scope["headers"], _SINGLE)
    key = key_of(headers)
    billing_key = headers.get(BILLING_KEY) or None
    client_ip = client_of(scope)
    most = _max_price(scope) if _MAX_PRICE in headers else None
    if PRIORITY in headers:
        check_priorities(_values(scope, PRIORITY))
    if key:
        return Caller(
            key, credential_is_session=False, billing_key=billing_key, client_ip=client_ip, max_price_nano=most
        )
    given = cookie_parser(headers.get("cookie", ""))
    session = given.get(cookies.session)
    if session:
        refuse_cross_site(HTTPConnection(scope))
    return Caller(
        session or None,
        credential_is_session=session is not None,
        billing_key=billing_key,
        client_ip=client_ip,
        selected_account=_account(given.get(SELECTED_ACCOUNT_COOKIE, "")),
        max_price_nano=most,
    )


def client_of(scope: Scope) -> str:
    """Returns the caller's address. A program at a Unix socket has none, and is on this machine."""
    client = scope.get("client")
    return client[0] if client else "127.0.0.1"


def _max_price(scope: Scope) -> int | None:
    return least_max_price(_values(scope, _MAX_PRICE), field=names.MAX_PRICE)


def _values(scope: Scope, header: str) -> Iterable[str]:
    raw: Iterable[tuple[bytes, bytes]] = scope["headers"]
    return (value.decode("latin-1") for name, value in raw if name == header.encode())


def key_of(headers: Mapping[str, str]) -> str | None:
    """Returns the text of the caller's key. `headers` are by lower-case name."""
    return headers.get(API_KEY) or bearer(headers.get("authorization", ""))


def bare_key(headers: Mapping[str, str]) -> str | None:
    """Returns a key that Authorization holds without a scheme, as adapters accept it; MLP-API-KEY takes precedence."""
    given = headers.get("authorization", "").strip()
    return None if " " in given or headers.get(API_KEY) else given or None


def bearer(authorization: str) -> str | None:
    scheme, _, value = authorization.partition(" ")
    return value.strip() or None if scheme.lower() == "bearer" else None


def _account(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None
