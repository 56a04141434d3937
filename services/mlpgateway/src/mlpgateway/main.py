"""The service mlpgateway, from its settings to a running app."""

from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI

from mlpgateway import registry
from mlplace_runtime.web.app import create_app

NAME = "mlpgateway"
MIGRATIONS = Path(__file__).parent / "migrations"


def build_app() -> FastAPI:
    """Without resources: for the OpenAPI document and for tests of the routes."""
    return create_app(
        name=NAME,
        title="MLPlace gateway: calls of models",
        version=version("mlplace-mlpgateway"),
        routers=registry.ROUTERS,
    )
