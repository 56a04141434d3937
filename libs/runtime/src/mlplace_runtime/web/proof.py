"""Marks connections whose callers are authenticated: a full server closes other connections first.

Services and the edge pass on copies of a request's scope, but the copies share its `state`.
"""

from collections.abc import Mapping, MutableMapping
from typing import Any, Final

from mlplace_runtime.auth.principal import Principal, PrincipalKind

_PROVED: Final = "mlp.proved"
_REFUSED_FROM: Final = 400
PROVED: Final[Mapping[str, object]] = {"state": {_PROVED: True}}
"""The scope of a request whose connection is marked."""


def prove(scope: MutableMapping[str, Any]) -> None:
    """Marks this request's caller as authenticated by a valid credential."""
    scope[_PROVED] = True


def note_proof(scope: Mapping[str, Any], status: int) -> None:
    """Call it once the request is answered. Marks the connection if the caller is authenticated and was not refused."""
    if status < _REFUSED_FROM and (scope.get(_PROVED) or _is_somebody(scope.get("mlp.principal"))):
        state: MutableMapping[str, Any] | None = scope.get("state")
        if state is not None:
            state[_PROVED] = True


def was_proved(scope: Mapping[str, Any]) -> bool:
    """Whether the connection is marked. Only for the server, which created the scope."""
    state: Mapping[str, Any] = scope.get("state") or {}
    return _PROVED in state


def _is_somebody(principal: Principal | None) -> bool:
    return principal is not None and principal.kind is not PrincipalKind.ANONYMOUS
