"""For authors and callers of services: host a model, call one."""

from mlplace.authoring.service import Service, ext
from mlplace.calling.grpc_client import GrpcClient
from mlplace.calling.http_client import AsyncClient, Client
from mlplace.calling.retry import Retry
from mlplace.context import Context, current_context
from mlplace.errors import DeclarationError, MlpError, SettingsError
from mlplace.hosting.host import serve
from mlplace.settings import Settings

__all__ = [
    "AsyncClient",
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
