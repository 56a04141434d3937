from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from mlplace_contracts.events import ModelArchive, ModelChanged
from mlplace_testing.waiting import eventually


class OwnersKey:
    def __init__(self) -> None:
        key = rsa.generate_private_key(65537, 2048)
        self.private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        self.public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture(scope="session")
def owners_key() -> OwnersKey:
    return OwnersKey()


@pytest.fixture
def world(world_with_cleanup) -> Any:
    return world_with_cleanup


@pytest.fixture
def archiving(kit) -> Callable[..., ModelChanged]:
    def made(most: int = 10, *, public_key: str | None = None, **about: object) -> ModelChanged:
        return kit.model_changed(archive=ModelArchive(most=most, public_key=public_key), **about)

    return made


@pytest.fixture
def owner(world, kit) -> dict[str, str]:
    return world.key(kit.ACME, permissions=("read", "write"))


@pytest.fixture
def listed(world, owner) -> Callable[..., Any]:
    """Waits until the archive holds that many records, and returns them."""

    async def wait(number: int, **query: object) -> list[dict[str, Any]]:
        async def look() -> dict[str, Any]:
            answer = await world.client.get(
                "/api/mlpgateway/account/acme/model/ner/archive", params=query, headers=owner
            )
            assert answer.status_code == 200, answer.text
            return answer.json()

        found = await eventually(look, until=lambda page: page["paging"]["totalElements"] == number, seconds=60)
        return found["records"]

    return wait
