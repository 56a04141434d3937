"""The service's cookies. Scripts cannot read the session and device ids; the selected account is not secret."""

from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request
from starlette.requests import HTTPConnection
from starlette.responses import Response

from mlplace_runtime.auth.authenticator import SELECTED_ACCOUNT_COOKIE, CookieNames

_MAX_ID_DIGITS = 18


class Cookies:
    """Writes all cookies with the same flags. `lifetime` limits only the browser; the server decides on its own."""

    def __init__(self, names: CookieNames, *, lifetime: timedelta, device_lifetime: timedelta) -> None:
        self._names = names
        self._seconds = int(lifetime.total_seconds())
        self._device_seconds = int(device_lifetime.total_seconds())
        self._device = "__Host-DEVICE" if names.secure else "DEVICE"

    def session_of(self, request: HTTPConnection) -> str | None:
        return request.cookies.get(self._names.session)

    def keep_session(self, response: Response, secret: str) -> None:
        self._keep(response, self._names.session, secret, http_only=True)

    def device_of(self, request: HTTPConnection) -> str | None:
        return request.cookies.get(self._device)

    def keep_device(self, response: Response, secret: str) -> None:
        """Sets the device cookie.

        It stays after sign-out: it identifies the browser and does not authenticate anyone.
        """
        self._keep(response, self._device, secret, http_only=True, seconds=self._device_seconds)

    def keep_account(self, response: Response, account_id: int) -> None:
        self._keep(response, SELECTED_ACCOUNT_COOKIE, str(account_id), http_only=False)

    def forget_session(self, response: Response) -> None:
        self._forget(response, self._names.session, http_only=True)

    def forget_account(self, response: Response) -> None:
        self._forget(response, SELECTED_ACCOUNT_COOKIE, http_only=False)

    def _keep(self, response: Response, name: str, value: str, *, http_only: bool, seconds: int | None = None) -> None:
        age = self._seconds if seconds is None else seconds
        response.set_cookie(
            name, value, max_age=age, path="/", secure=self._names.secure, httponly=http_only, samesite="lax"
        )

    def _forget(self, response: Response, name: str, *, http_only: bool) -> None:
        response.delete_cookie(name, path="/", secure=self._names.secure, httponly=http_only, samesite="lax")


def named_account(request: Request) -> int | None:
    """Returns the account in the cookie, unchecked; None if the cookie has no number."""
    text = request.cookies.get(SELECTED_ACCOUNT_COOKIE, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MAX_ID_DIGITS else None


NamedAccountDep = Annotated[int | None, Depends(named_account)]
