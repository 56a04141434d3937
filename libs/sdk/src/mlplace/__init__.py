"""The SDK for authors and callers of models: serve a model, call one."""

from importlib import import_module
from typing import TYPE_CHECKING

from mlplace.authoring.service import Service, ext
from mlplace.calling.retry import Retry
from mlplace.context import Context, current_context
from mlplace.errors import CallCancelledError, DeclarationError, MlpError, SettingsError
from mlplace.hosting.host import serve
from mlplace.settings import Settings

if TYPE_CHECKING:
    from mlplace.calling.grpc_client import GrpcClient
    from mlplace.calling.http_client import AsyncClient, Client

__all__ = [
    "AsyncClient",
    "CallCancelledError",
    "Client",
    "Context",
    "DeclarationError",
    "GrpcClient",
    "MlpError",
    "Retry",
    "Service",
    "Settings",
    "SettingsError",
    "current_context",
    "ext",
    "serve",
]

# Loaded on first use: a service that makes no calls saves the HTTP library, a third of this package's import time.
_LOADED_ON_USE = {
    "AsyncClient": "mlplace.calling.http_client",
    "Client": "mlplace.calling.http_client",
    "GrpcClient": "mlplace.calling.grpc_client",
}


def __getattr__(name: str) -> object:
    module = _LOADED_ON_USE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)
