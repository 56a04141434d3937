"""Revocations take effect everywhere because of their events: four services and the gate, HTTP and gRPC.

What the services keep of an identity would last a day here, far longer than a test waits.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from datetime import timedelta

import pytest

from mlplace_gateproto import gate_pb2_grpc
from mlplace_runtime.auth import sources
from mlplace_testing.waiting import eventually
from tests.security.platform import Platform
from tests.security.tenants import Person, Recipe, Tenant, serving
from tests.security.test_gate_access import call, token_of

pytestmark = pytest.mark.timeout(300)
Ask = Callable[[], Awaitable[bool]]


@pytest.fixture(autouse=True)
def _long_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_TTL", timedelta(days=1))


@pytest.fixture(scope="package")
async def tenant(recipe: Recipe) -> Tenant:
    """A separate tenant, since the tests revoke its rights."""
    return await recipe.tenant("wayne")


@pytest.fixture
async def served(platform: Platform, tenant: Tenant) -> AsyncGenerator[Tenant]:
    async with serving(platform, tenant):
        yield tenant


def doors(
    platform: Platform,
    gate: "gate_pb2_grpc.GateAsyncStub",
    tenant: Tenant,
    headers: Mapping[str, str],
    *,
    member: bool = False,
) -> dict[str, Ask]:
    """One request to each service; each returns whether the caller is let in.

    Only persons administer accounts. Over gRPC, a user with several accounts has no selected account.
    """
    number = tenant.account_id
    paths = {
        "accountsadmin": ("GET", f"/api/accountsadmin/account/{number}"),
        "mlpcore": ("GET", f"/api/mlpcore/account/{number}/model-group"),
        "mlpbilling": ("GET", f"/api/mlpbilling/account/{number}/balance"),
        "mlpgateway": ("POST", f"/api/mlpgateway/account/{tenant.name}/model/{tenant.model_name}/predict"),
    }

    def over_http(method: str, path: str) -> Ask:
        async def enters() -> bool:
            async with platform.client(headers) as client:
                return (await client.request(method, path, json="x" if method == "POST" else None)).is_success

        return enters

    async def over_grpc() -> bool:
        return await call(gate, "process", tenant.name, tenant.model_name, token_of(headers)) == ("", "")

    if "MLP-API-KEY" in headers:
        del paths["accountsadmin"]
    return {name: over_http(*path) for name, path in paths.items()} | ({} if member else {"gRPC": over_grpc})


async def closes(doors: Mapping[str, Ask], revoke: Callable[[], Awaitable[object]]) -> None:
    """All succeed at first, so they are cached; after the revocation all are refused."""
    for name, ask in doors.items():
        await eventually(ask)
        assert await ask(), f"{name} is shut from the start"
    await revoke()

    async def still_open() -> list[str]:
        return [name for name, ask in doors.items() if await ask()]

    await eventually(still_open, until=lambda names: names == [])


async def request(platform: Platform, person: Person, method: str, path: str, body: object = None) -> None:
    async with platform.client(person.headers) as client:
        (await client.request(method, path, json=body)).raise_for_status()


class TestRevocation:
    async def test_deleted_key_ends(
        self, platform: Platform, stub: "gate_pb2_grpc.GateAsyncStub", served: Tenant, recipe: Recipe
    ) -> None:
        number, headers = await recipe.key(served)
        path = f"/api/mlpcore/account/{served.account_id}/token/{number}"
        await closes(doors(platform, stub, served, headers), lambda: request(platform, served.owner, "DELETE", path))

    async def test_permission_taken_from_a_key_ends(
        self, platform: Platform, stub: "gate_pb2_grpc.GateAsyncStub", served: Tenant, recipe: Recipe
    ) -> None:
        number, headers = await recipe.key(served)
        path = f"/api/mlpcore/account/{served.account_id}/token/{number}"
        body = {"permissions": ["write"]}
        await closes(doors(platform, stub, served, headers), lambda: request(platform, served.owner, "PUT", path, body))

    async def test_session_ends_after_signing_out(
        self, platform: Platform, stub: "gate_pb2_grpc.GateAsyncStub", served: Tenant, recipe: Recipe
    ) -> None:
        person = await recipe.sign_in(served.owner.login, served.account_id)
        path = "/api/accountsadmin/c/authorization/logout"
        await closes(doors(platform, stub, served, person.headers), lambda: request(platform, person, "POST", path))

    async def test_all_sessions_end_after_signing_out_everywhere(
        self, platform: Platform, stub: "gate_pb2_grpc.GateAsyncStub", served: Tenant, recipe: Recipe
    ) -> None:
        elsewhere = await recipe.sign_in(served.owner.login, served.account_id)
        path = "/api/accountsadmin/c/sessions"
        await closes(
            doors(platform, stub, served, elsewhere.headers), lambda: request(platform, served.owner, "DELETE", path)
        )

    async def test_ended_membership_ends_access(
        self, platform: Platform, stub: "gate_pb2_grpc.GateAsyncStub", served: Tenant, recipe: Recipe
    ) -> None:
        guest = await self._guest(recipe, served, "leaver")
        path = f"/api/accountsadmin/account/{served.account_id}/member/{guest.user_id}"
        await closes(
            doors(platform, stub, served, guest.headers, member=True),
            lambda: request(platform, served.owner, "DELETE", path),
        )

    async def test_lowered_role_takes_effect(self, platform: Platform, served: Tenant, recipe: Recipe) -> None:
        guest = await self._guest(recipe, served, "fallen")
        path = f"/api/accountsadmin/account/{served.account_id}/member/{guest.user_id}"
        core = f"/api/mlpcore/account/{served.account_id}"

        async def reads_keys() -> bool:
            async with platform.client(guest.headers) as client:
                return (await client.get(f"{core}/token")).is_success

        async def reads_income() -> bool:
            async with platform.client(guest.headers) as client:
                posted = await client.post(f"{core}/model/{served.model_id}/billing", json={"isBillingEnabled": False})
                return posted.is_success

        await closes(
            {"keys": reads_keys, "price": reads_income},
            lambda: request(platform, served.owner, "PUT", path, {"roles": ["MLP_USER"]}),
        )

    async def test_blocked_user_loses_access(
        self, platform: Platform, stub: "gate_pb2_grpc.GateAsyncStub", served: Tenant, recipe: Recipe, admin: Person
    ) -> None:
        guest = await self._guest(recipe, served, "barred")
        path = f"/api/accountsadmin/admin/users/{guest.user_id}/block"
        await closes(
            doors(platform, stub, served, guest.headers, member=True), lambda: request(platform, admin, "POST", path)
        )

    async def test_removed_superadmin_permission_ends(self, platform: Platform, recipe: Recipe, admin: Person) -> None:
        second = await recipe.person("second@platform.example.org", superadmin=True)

        def door(path: str) -> Ask:
            async def enters() -> bool:
                async with platform.client(second.headers) as client:
                    return (await client.get(path)).is_success

            return enters

        paths = {
            "accountsadmin": "/api/accountsadmin/admin/users",
            "mlpcore": "/api/mlpcore/admin/accounts",
            "mlpbilling": "/api/mlpbilling/admin/ledger/verification",
        }
        path = f"/api/accountsadmin/admin/users/{second.user_id}/permissions"
        await closes(
            {name: door(path) for name, path in paths.items()},
            lambda: request(platform, admin, "POST", path, {"permissions": []}),
        )

    @pytest.mark.parametrize("how", ["session", "key"])
    async def test_blocked_account_loses_access(
        self,
        platform: Platform,
        stub: "gate_pb2_grpc.GateAsyncStub",
        recipe: Recipe,
        admin: Person,
        how: str,
    ) -> None:
        """Has a tenant of its own: a session stays without the account when that is unblocked, and tests have no order."""
        tenant = await recipe.tenant(f"stark-{how}")
        headers = tenant.owner.headers if how == "session" else tenant.key
        path = f"/api/accountsadmin/admin/accounts/{tenant.account_id}/block"
        async with serving(platform, tenant):
            await closes(doors(platform, stub, tenant, headers), lambda: request(platform, admin, "POST", path))

    @staticmethod
    async def _guest(recipe: Recipe, tenant: Tenant, name: str) -> Person:
        person = await recipe.person(f"{name}@wayne.example.org")
        await recipe.join(person, tenant.account_id, tenant.owner, "MLP_DEVELOPER")
        return await recipe.sign_in(person.login, tenant.account_id)
