"""Authenticates a request from its headers and cookies."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from starlette.requests import HTTPConnection

from mlplace_contracts.internal.identity import SessionIdentity
from mlplace_kit.credentials import parse_credential
from mlplace_kit.denials import OtherSite
from mlplace_kit.errors import NotAuthorized, ValidationFailed
from mlplace_kit.violations import two_values
from mlplace_runtime.auth.principal import ANONYMOUS, SERVICE, Principal, from_key, from_session
from mlplace_runtime.auth.sources import KeySource, SessionSource
from mlplace_runtime.secrets import is_one_of

API_KEY_HEADER = "MLP-API-KEY"
INTERNAL_HEADER = "MLP-INTERNAL-TOKEN"
SELECTED_ACCOUNT_COOKIE = "SELECTED_ACCOUNT"
CREDENTIALS: Final[Mapping[bytes, str]] = {b"mlp-api-key": API_KEY_HEADER, b"authorization": "Authorization"}
"""Headers with a credential, by their names in lower case."""
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class CookieNames:
    """`secure` requires HTTPS and adds the `__Host-` prefix, which binds the cookie to this host and path."""

    secure: bool

    @property
    def session(self) -> str:
        return "__Host-SESSION_ID" if self.secure else "SESSION_ID"


class Authenticator:
    def __init__(
        self,
        *,
        sessions: SessionSource,
        keys: KeySource,
        cookies: CookieNames,
        internal_token: str,
        also_internal_tokens: tuple[str, ...] = (),
        metrics_token: str | None = None,
    ) -> None:
        self._sessions = sessions
        self._keys = keys
        self._cookies = cookies
        self._internal_tokens = (internal_token, *also_internal_tokens)
        self._metrics_token = metrics_token

    async def authenticate(self, request: HTTPConnection) -> Principal:
        """Authenticates by key if there is one, else by session. A dead session counts as an anonymous visitor.

        Raises NotAuthorized for a wrong key, AccessDenied for a cross-site request that uses a session, and
        ValidationFailed for several keys.
        """
        expect_one_each(request.headers.raw, CREDENTIALS)
        key = _key_of(request)
        if key is not None:
            return await self.by_key(key)
        secret = request.cookies.get(self._cookies.session)
        identity = await self._sessions.session(secret) if secret else None
        if identity is None:
            return ANONYMOUS
        refuse_cross_site(request)
        return from_session(identity, selected_account(request, identity))

    async def by_key(self, key: str) -> Principal:
        identity = await self._keys.key(key) if parse_credential(key) else None
        if identity is None:
            raise NotAuthorized
        return from_key(identity)

    def internal(self, request: HTTPConnection) -> Principal:
        """Authenticates another service of the platform. Raises NotAuthorized for anyone else."""
        token = request.headers.get(INTERNAL_HEADER, "")
        if not is_one_of(token, self._internal_tokens):
            raise NotAuthorized
        return SERVICE

    def scraper(self, request: HTTPConnection) -> None:
        """Admits a program that collects metrics by its bearer token, and other services.

        Raises NotAuthorized for anyone else; for every bearer token if the installation has no such token.
        """
        token = _bearer_of(request)
        if self._metrics_token is None or token is None or not is_one_of(token, (self._metrics_token,)):
            self.internal(request)


def expect_one_each(headers: Iterable[tuple[bytes, bytes]], names: Mapping[bytes, str]) -> None:
    """Raises ValidationFailed for a header that has several values: it is not clear who asks, or who pays.

    `names` are those of the headers by their lower-case form.
    """
    given: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in names and given.setdefault(name, value) != value:
            raise ValidationFailed({names[name]: two_values()})


def _key_of(request: HTTPConnection) -> str | None:
    return request.headers.get(API_KEY_HEADER) or _bearer_of(request)


def _bearer_of(request: HTTPConnection) -> str | None:
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    return value.strip() if scheme.lower() == "bearer" and value.strip() else None


def selected_account(request: HTTPConnection, identity: SessionIdentity) -> int | None:
    """Returns the account in the cookie; without the cookie, the user's account if there is only one."""
    text = request.cookies.get(SELECTED_ACCOUNT_COOKIE, "")
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    return identity.memberships[0].account_id if len(identity.memberships) == 1 else None


def refuse_cross_site(request: HTTPConnection) -> None:
    """Refuses unsafe cross-site requests: browsers add cookies to requests that other sites make."""
    if request.scope.get("method", "GET") not in _SAFE_METHODS and not is_of_own_site(request):
        raise OtherSite


def is_of_own_site(request: HTTPConnection) -> bool:
    """Returns whether no page of another origin made the request.

    Browsers send Sec-Fetch-Site or Origin with every unsafe request. Other programs send neither, and have no cookies
    of other people.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")
