"""Tells the server which connections carry callers that have proved who they are: when it is full, others go first.

Services and the edge hand copies of a request's scope on, but share its `state`.
"""

from collections.abc import Mapping, MutableMapping
from typing import Any, Final

from mlplace_runtime.auth.principal import Principal, PrincipalKind

_PROVED: Final = "mlp.proved"
_REFUSED_FROM: Final = 400


def prove(scope: MutableMapping[str, Any]) -> None:
    """The caller of this request had a credential that holds."""
    scope[_PROVED] = True


def note_proof(scope: Mapping[str, Any], status: int) -> None:
    """Once the request is answered."""
    if status < _REFUSED_FROM and (scope.get(_PROVED) or _is_somebody(scope.get("mlp.principal"))):
        state: MutableMapping[str, Any] | None = scope.get("state")
        if state is not None:
            state[_PROVED] = True


def was_proved(scope: Mapping[str, Any]) -> bool:
    """For the server, which made the scope."""
    state: Mapping[str, Any] = scope.get("state") or {}
    return _PROVED in state


def _is_somebody(principal: Principal | None) -> bool:
    return principal is not None and principal.kind is not PrincipalKind.ANONYMOUS
