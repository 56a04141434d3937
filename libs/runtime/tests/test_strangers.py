"""Tests large bodies of unauthenticated callers: no service keeps them in memory before its policy runs."""

from collections.abc import AsyncGenerator
from typing import Annotated

import pytest
from fastapi import APIRouter, Body, Depends, FastAPI, Request

from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.db.database import Database
from mlplace_runtime.service import Runtime
from mlplace_runtime.web.app import attach, create_app
from mlplace_runtime.web.policy import Access, InSelectedAccount, Internal, OwnCredential, Public
from mlplace_runtime.web.strangers import OF_STRANGERS
from mlplace_testing.identities import Identities
from mlplace_testing.web import client_for

PIECE = b"x" * 16 * 1024
router = APIRouter()
Text = Annotated[bytes, Body(media_type="application/octet-stream")]


@router.post("/member")
async def member(body: Text, access: Annotated[Access, Depends(InSelectedAccount(KeyPermission.READ))]) -> int:
    return len(body)


@router.post("/open")
async def visitor(body: Text, access: Annotated[Access, Depends(Public())]) -> int:
    return len(body)


@router.post("/internal")
async def internal(body: Text, access: Annotated[Access, Depends(Internal())]) -> int:
    return len(body)


@router.post("/own", dependencies=[Depends(OwnCredential("a server's secret"))])
async def own(request: Request) -> int:
    return len(await request.body())


class Upload:
    """Counts how much of the upload was read."""

    def __init__(self, pieces: int) -> None:
        self.pieces = pieces
        self.read = 0

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        for _ in range(self.pieces):
            self.read += len(PIECE)
            yield PIECE


@pytest.fixture
def app(identities: Identities, clock) -> FastAPI:
    made = create_app(name="test", title="T", version="1", routers=[router])
    database = Database("postgresql+asyncpg://nobody@/nothing?host=/nowhere", application_name="test")
    attach(made, Runtime("test", database, identities.authenticator, identities, clock, dict))
    return made


class TestVisitor:
    @pytest.mark.parametrize("path", ["/member", "/open", "/internal"])
    async def test_a_large_body_is_not_read_completely(self, app, path: str) -> None:
        async with client_for(app, max_body_bytes=100 * 1024 * 1024) as client:
            upload = Upload(1000)
            answer = await client.post(path, content=upload, headers={"content-type": "application/octet-stream"})
        assert (answer.status_code, answer.json()["code"]) == (401, "mlp.gate.unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert upload.read <= OF_STRANGERS + 2 * len(PIECE)

    async def test_a_large_body_with_a_declared_length_is_not_read_at_all(self, app) -> None:
        async with client_for(app) as client:
            upload = Upload(5)
            length = str(5 * len(PIECE))
            headers = {"content-length": length, "content-type": "application/octet-stream"}
            answer = await client.post("/member", content=upload, headers=headers)
        assert answer.status_code == 401

    async def test_a_wrong_internal_token_is_refused(self, app) -> None:
        async with client_for(app) as client:
            headers = {"MLP-INTERNAL-TOKEN": "wrong", "content-type": "application/octet-stream"}
            answer = await client.post("/internal", content=Upload(10), headers=headers)
        assert answer.status_code == 401

    async def test_a_small_body_is_read(self, app) -> None:
        async with client_for(app) as client:
            headers = {"content-type": "application/octet-stream"}
            assert (await client.post("/open", content=PIECE, headers=headers)).json() == len(PIECE)


class TestKnown:
    async def test_a_large_body_with_a_key_is_read(self, app, identities: Identities) -> None:
        key = identities.api_key(identities.account(1, "acme"), permissions=[KeyPermission.READ])
        async with client_for(app) as client:
            headers = {**key, "content-type": "application/octet-stream"}
            assert (await client.post("/member", content=Upload(10), headers=headers)).json() == 10 * len(PIECE)

    async def test_a_large_body_of_another_service_is_read(self, app, identities: Identities) -> None:
        async with client_for(app) as client:
            headers = {**identities.internal, "content-type": "application/octet-stream"}
            assert (await client.post("/internal", content=Upload(10), headers=headers)).json() == 10 * len(PIECE)

    async def test_a_route_with_its_own_credential_limits_its_body_itself(self, app) -> None:
        async with client_for(app) as client:
            assert (await client.post("/own", content=Upload(10))).json() == 10 * len(PIECE)
