from collections.abc import AsyncGenerator

import httpx
import pytest
from fastapi import FastAPI

from mlpcore.main import SERVICE
from mlpcore.state import CoreState


@pytest.fixture
async def client(app: FastAPI, state: CoreState) -> AsyncGenerator[httpx.AsyncClient]:
    """Sees the service with its own bounds of bodies."""
    transport = httpx.ASGITransport(app=SERVICE.bounded(app, state.settings))
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as opened:
        yield opened
