"""Refuses large bodies of unauthenticated callers before they are read."""

from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import Scope

from mlplace_kit.errors import NotAuthorized
from mlplace_runtime.auth.authenticator import INTERNAL_HEADER
from mlplace_runtime.auth.principal import PrincipalKind
from mlplace_runtime.service import Runtime

OF_STRANGERS: Final = 64 * 1024
"""Bytes. Visitors' forms and notices of payment providers are far smaller."""
OWN_CREDENTIAL: Final = "mlp.own_credential"
"""Set in the scope of a request whose route checks its own kind of credential."""


async def refuse_stranger(scope: Scope) -> None:
    """Raises NotAuthorized for an anonymous visitor and for an invalid credential.

    Does nothing for apps without a runtime: they check their callers themselves before reading.
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
