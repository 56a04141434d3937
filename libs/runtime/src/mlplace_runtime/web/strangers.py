"""Bodies of requests that nobody whom the platform knows has sent: they are small, or not read."""

from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import Scope

from mlplace_kit.errors import NotAuthorized
from mlplace_runtime.auth.authenticator import INTERNAL_HEADER
from mlplace_runtime.auth.principal import PrincipalKind
from mlplace_runtime.service import Runtime

OF_STRANGERS: Final = 64 * 1024
"""Bytes. Forms of visitors and notices of payment providers are smaller by far."""
OWN_CREDENTIAL: Final = "mlp.own_credential"
"""Set in the scope of a request whose route checks a credential of its own kind."""


async def refuse_stranger(scope: Scope) -> None:
    """Raises NotAuthorized for a visitor, and for a credential that does not hold.

    Apps that have no runtime judge their callers themselves, before they read.
    """
    runtime: object = getattr(getattr(scope.get("app"), "state", None), "runtime", None)
    if not isinstance(runtime, Runtime) or scope.get(OWN_CREDENTIAL):
        return
    request = HTTPConnection(scope)
    if request.headers.get(INTERNAL_HEADER):
        runtime.authenticator.internal(request)
        return
    principal = scope.get("mlp.principal") or await runtime.authenticator.authenticate(request)
    if principal.kind is PrincipalKind.ANONYMOUS:
        raise NotAuthorized
