from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.api_keys.tables import ApiKey
from mlpcore.identity import OwnAccounts, cached_keys
from mlpcore.main import SERVICE
from mlpcore.state import CoreState
from mlplace_contracts.enums import KeyPermission
from mlplace_contracts.events import ApiKeyChanged
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher, parse_credential
from mlplace_runtime.auth.authenticator import Authenticator, CookieNames
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.db.database import Database
from mlplace_testing.events import published
from mlplace_testing.identities import INTERNAL_TOKEN, Identities
from mlplace_testing.web import client_for
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
GLOBEX = "/api/mlpcore/account/globex"
SERVICE_ID = {"accountId": 1000000001}


async def _create(
    client: httpx.AsyncClient, headers: dict[str, str], body: dict[str, object] | None = None, name: str = "k"
) -> dict[str, object]:
    answer = await client.post(f"{ACME}/token?name={name}", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    made: dict[str, object] = answer.json()
    return made


def _id(key: dict[str, object]) -> int:
    return int(str(key["token"]).split(".")[1])


async def _resolve(client: httpx.AsyncClient, world: World, secret: object) -> dict[str, object] | None:
    answer = await client.post("/internal/mlpcore/keys/resolve", json={"secret": secret}, headers=world.internal)
    resolved: dict[str, object] | None = answer.json()
    return resolved


class TestCreate:
    async def test_key_is_shown_once_and_stored_only_as_a_hash(
        self, client: httpx.AsyncClient, world: World, database: Database, hasher: KeyedHasher
    ) -> None:
        made = await _create(client, world.owner)
        secret = str(made["token"])
        credential = parse_credential(secret)
        assert credential is not None
        assert credential.account_id == 1000000001
        shown = (await client.get(f"{ACME}/token/{credential.object_id}", headers=world.owner)).json()
        assert shown["token"] == f"1000000001.{credential.object_id}.************{secret[-4:]}"
        assert shown == made | {"token": shown["token"]}
        async with database.transaction() as session:
            row = (await session.execute(sa.select(sa.text("api_key::text")).select_from(ApiKey))).scalar_one()
        assert credential.secret not in row
        assert hasher.digest(secret) in row

    async def test_permissions_default_to_all(self, client: httpx.AsyncClient, world: World) -> None:
        made = await _create(client, world.owner)
        assert (made["name"], made["permissions"]) == ("k", ["predict", "read", "write"])
        assert (made["expiresAt"], made["temporary"], made["allowedServices"]) == (None, False, None)

    async def test_every_limit_is_returned(self, client: httpx.AsyncClient, world: World) -> None:
        body: dict[str, object] = {
            "name": "from the body", "permissions": ["read"], "allowedServices": [], "allowedLlms": ["gpt"],
            "temporary": True, "maxLifetime": 2, "maxLifetimePeriod": "HOUR", "requestLimit": 5,
            "requestLimitPeriod": "MINUTE", "maxRequestSize": 100, "maxRequestSizeUnit": "BYTES", "expenseLimit": 1.25,
            "maxPricePerCall": 0.000000007,
            "spendingLimits": [
                {"amount": 240.5, "currency": "TOKEN", "period": "DAY", "availableImmediately": True}
            ],
            "notificationEmails": ["a@example.org"],
        }  # fmt: skip
        made = await _create(client, world.owner, body)
        assert {name: made[name] for name in body} == body
        listed = (await client.get(f"{ACME}/token", headers=world.owner)).json()
        assert [{name: entry[name] for name in body} for entry in listed] == [body]

    async def test_key_without_a_name_is_named_after_its_id(self, client: httpx.AsyncClient, world: World) -> None:
        """Clients of the public SDK create keys without a name."""
        made = (await client.post(f"{ACME}/token", headers=world.owner)).json()
        assert made["name"] == f"key-{_id(made)}"

    @pytest.mark.parametrize(
        ("query", "body", "field"),
        [
            ("?name=", {}, "name"),
            ("?name=k", {"temporary": True}, "maxLifetime"),
            ("?name=k", {"maxLifetime": 1, "maxLifetimePeriod": "SECOND"}, "maxLifetime"),
            ("?name=k", {"temporary": True, "maxLifetime": 1}, "maxLifetimePeriod"),
            ("?name=k", {"temporary": True, "maxLifetime": 2**62, "maxLifetimePeriod": "YEAR"}, "maxLifetime"),
            ("?name=k", {"maxLifetime": 0}, "maxLifetime"),
            ("?name=k", {"permissions": []}, "permissions"),
            ("?name=k", {"allowedServices": [SERVICE_ID | {"modelId": 99}]}, "allowedServices.0"),
            ("?name=k", {"notificationEmails": ["nobody"]}, "notificationEmails.0"),
            (
                "?name=k",
                {"spendingLimits": [{"amount": -1, "currency": "TOKEN", "period": "DAY"}]},
                "spendingLimits.0.amount",
            ),
        ],
    )
    async def test_invalid_field_is_refused(
        self, client: httpx.AsyncClient, world: World, query: str, body: dict[str, object] | None, field: str
    ) -> None:
        answer = await client.post(f"{ACME}/token{query}", json=body, headers=world.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field])


class TestPrivileges:
    async def test_key_cannot_grant_permissions_that_it_lacks(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        weak = identities.api_key(world.acme, permissions=[KeyPermission.WRITE])
        body = {"permissions": ["predict", "write"]}
        assert (await client.post(f"{ACME}/token?name=k", json=body, headers=weak)).status_code == 403
        made = await _create(client, weak)
        assert made["permissions"] == ["write"]
        raised = await client.put(f"{ACME}/token/{_id(made)}", json=body, headers=weak)
        assert raised.status_code == 403

    async def test_key_limited_to_models_creates_only_keys_limited_to_them(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        ids = []
        for name in ("a", "b"):
            answer = await client.post(f"{ACME}/model", json={"modelName": name}, headers=world.owner)
            ids.append(answer.json()["id"])
        limited = identities.api_key(world.acme, allowed_models=(ids[0]["modelId"],))
        for services, status in ((None, 403), (ids, 403), ([ids[1]], 403), ([ids[0]], 200), ([], 200)):
            answer = await client.post(f"{ACME}/token?name=k", json={"allowedServices": services}, headers=limited)
            assert answer.status_code == status, services

    async def test_temporary_key_cannot_grant_a_longer_lifetime(
        self, world: World, client: httpx.AsyncClient, state: CoreState
    ) -> None:
        hour = {"temporary": True, "maxLifetime": 1, "maxLifetimePeriod": "HOUR"}
        parent = {"MLP-API-KEY": str((await _create(client, world.owner, hour))["token"])}
        keys = cached_keys(state)
        authenticator = Authenticator(
            sessions=Identities(state.hasher, state.clock),
            keys=keys,
            cookies=CookieNames(secure=False),
            internal_token=INTERNAL_TOKEN,
        )
        async with client_for(SERVICE.assemble(state, authenticator, OwnAccounts(state.database))) as by_key:
            for body, status in (
                ({}, 403),
                (hour | {"maxLifetime": 2}, 403),
                (hour | {"maxLifetimePeriod": "MINUTE"}, 200),
            ):
                answer = await by_key.post(f"{ACME}/token?name=child", json=body, headers=parent)
                assert answer.status_code == status, answer.text
            own = f"{ACME}/token/{parent['MLP-API-KEY'].split('.')[1]}"
            for body in ({"temporary": False}, {"maxLifetime": 9}):
                assert (await by_key.put(own, json=body, headers=parent)).status_code == 403

    async def test_key_with_limits_cannot_create_or_change_keys(
        self, world: World, client: httpx.AsyncClient, state: CoreState
    ) -> None:
        keys = cached_keys(state)
        authenticator = Authenticator(
            sessions=Identities(state.hasher, state.clock),
            keys=keys,
            cookies=CookieNames(secure=False),
            internal_token=INTERNAL_TOKEN,
        )
        limits = (
            {"requestLimit": 5, "requestLimitPeriod": "MINUTE"},
            {"maxRequestSize": 5, "maxRequestSizeUnit": "BYTES"},
            {"expenseLimit": 1},
            {"maxPricePerCall": 1},
            {"allowedLlms": []},
            {"spendingLimits": [{"amount": 1, "currency": "RUBLE", "period": "DAY"}]},
        )
        async with client_for(SERVICE.assemble(state, authenticator, OwnAccounts(state.database))) as by_key:
            for body in limits:
                made = await _create(client, world.owner, dict[str, object](body))
                parent = {"MLP-API-KEY": str(made["token"])}
                answers = (
                    await by_key.post(f"{ACME}/token?name=child", json=body, headers=parent),
                    await by_key.put(f"{ACME}/token/{_id(made)}", json={"name": "new"}, headers=parent),
                )
                assert [answer.status_code for answer in answers] == [403, 403], body
                assert (await by_key.get(f"{ACME}/token", headers=parent)).status_code == 200


class TestLimits:
    """The limits that gates enforce."""

    async def test_key_without_limits_is_published_without_limits(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await _create(client, world.owner, {"temporary": True, "maxLifetime": 1, "maxLifetimePeriod": "HOUR"})
        assert [event.limits for event in await published(database, ApiKeyChanged)] == [None]

    async def test_every_limit_is_published_and_resolved(
        self, client: httpx.AsyncClient, world: World, database: Database, clock: ManualClock
    ) -> None:
        body: dict[str, object] = {
            "requestLimit": 5, "requestLimitPeriod": "HOUR", "maxRequestSize": 9, "maxRequestSizeUnit": "CHARACTERS",
            "spendingLimits": [
                {"amount": 240.000000001, "currency": "RUBLE", "period": "DAY", "availableImmediately": True},
                {"amount": 0.5, "currency": "RUBLE", "period": "MONTH"},
            ],
            "expenseLimit": 7, "allowedLlms": ["gpt"],
        }  # fmt: skip
        made = await _create(client, world.owner, body)
        limits = (await published(database, ApiKeyChanged))[0].limits
        day, month, total = (
            {"currency": currency, "period": period, "period_seconds": seconds, "available_immediately": at_once}
            for currency, period, seconds, at_once in (
                ("RUBLE", "DAY", 86400, True), ("RUBLE", "MONTH", 30 * 86400, False), (None, "TOTAL", None, True),
            )
        )  # fmt: skip
        now = clock.now()
        assert limits is not None
        assert limits.model_dump() == {
            "requests": {"calls": 5, "period": "HOUR", "period_seconds": 3600},
            "size": {"most": 9, "unit": "CHARACTERS"},
            "spending": (
                {"amount_nano": 240_000_000_001, "since": now, **day},
                {"amount_nano": 500_000_000, "since": now, **month},
                {"amount_nano": 7_000_000_000, "since": now, **total},
            ),
            "llms": ("gpt",),
        }
        resolved = await _resolve(client, world, made["token"])
        assert resolved is not None
        assert resolved["limits"] == limits.model_dump(mode="json")

    async def test_maximal_price_of_a_call_is_published_and_removed(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        made = await _create(client, world.owner, {"maxPricePerCall": "0.000000007"})
        resolved = await _resolve(client, world, made["token"])
        assert resolved is not None
        assert resolved["max_price_nano"] == 7
        url = f"{ACME}/token/{_id(made)}"
        for body in ({"maxPricePerCall": None}, {"maxPricePerCall": 2}):
            assert (await client.put(url, json=body, headers=world.owner)).status_code == 200
        events = await published(database, ApiKeyChanged)
        assert [event.max_price_nano for event in events] == [7, None, 2_000_000_000]

    async def test_limit_keeps_its_start_when_its_amount_changes_but_not_when_set_again(
        self, client: httpx.AsyncClient, world: World, database: Database, clock: ManualClock
    ) -> None:
        day = {"amount": 1, "currency": "RUBLE", "period": "DAY"}
        first = clock.now()
        made = await _create(client, world.owner, {"spendingLimits": [day]})
        url = f"{ACME}/token/{_id(made)}"
        for limits in ([{**day, "amount": 2}, {**day, "period": "HOUR"}], [], [day]):
            clock.advance(timedelta(minutes=1))
            answer = await client.put(url, json={"spendingLimits": limits}, headers=world.owner)
            assert "spendingSince" not in answer.json()
        times = [
            [(rule.period, rule.since - first) for rule in event.limits.spending] if event.limits else []
            for event in await published(database, ApiKeyChanged)
        ]
        minute = timedelta(minutes=1)
        assert times == [
            [("DAY", 0 * minute)], [("DAY", 0 * minute), ("HOUR", minute)], [], [("DAY", 3 * minute)],
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"requestLimit": 1}, "requestLimitPeriod"),
            ({"requestLimitPeriod": "DAY"}, "requestLimit"),
            ({"maxRequestSize": 1}, "maxRequestSizeUnit"),
            ({"maxRequestSizeUnit": "BYTES"}, "maxRequestSize"),
            ({"expenseLimit": "0.0000000001"}, "expenseLimit"),
            ({"maxPricePerCall": "0.0000000001"}, "maxPricePerCall"),
            ({"maxPricePerCall": -1}, "maxPricePerCall"),
            (
                {"spendingLimits": [{"amount": "0.0000000001", "currency": "TOKEN", "period": "DAY"}]},
                "spendingLimits.0.amount",
            ),
            (
                {"spendingLimits": [{"amount": n, "currency": "TOKEN", "period": "DAY"} for n in (1, 2)]},
                "spendingLimits.1.period",
            ),
        ],
    )
    async def test_incomplete_or_contradictory_limits_are_refused(
        self, client: httpx.AsyncClient, world: World, body: dict[str, object], field: str
    ) -> None:
        made = await _create(client, world.owner)
        for answer in (
            await client.post(f"{ACME}/token?name=k", json=body, headers=world.owner),
            await client.put(f"{ACME}/token/{_id(made)}", json=body, headers=world.owner),
        ):
            assert (answer.status_code, list(answer.json()["args"])) == (400, [field])


class TestChange:
    async def test_update_changes_only_sent_fields(
        self, client: httpx.AsyncClient, world: World, database: Database, clock: ManualClock
    ) -> None:
        made = await _create(client, world.owner, {"requestLimit": 5, "requestLimitPeriod": "DAY"})
        url = f"{ACME}/token/{_id(made)}"
        changed = (await client.put(url, json={"name": "new", "permissions": ["predict"]}, headers=world.owner)).json()
        assert (changed["name"], changed["permissions"], changed["requestLimit"]) == ("new", ["predict"], 5)
        hour = {"temporary": True, "maxLifetime": 1, "maxLifetimePeriod": "HOUR"}
        assert (await client.put(url, json=hour, headers=world.owner)).json()["expiresAt"] is not None
        events = await published(database, ApiKeyChanged)
        assert [(event.version, event.name) for event in events] == [(1, "k"), (2, "new"), (3, "new")]
        assert events[2].expires_at == clock.now() + timedelta(hours=1)
        permanent = (await client.put(url, json={"temporary": False}, headers=world.owner)).json()
        assert permanent["expiresAt"] is None

    async def test_key_of_another_account_looks_missing(self, client: httpx.AsyncClient, world: World) -> None:
        number = _id(await _create(client, world.owner))
        for method, body in (("GET", None), ("PUT", {}), ("DELETE", None)):
            answer = await client.request(method, f"{GLOBEX}/token/{number}", json=body, headers=world.stranger)
            assert (answer.status_code, answer.json()["code"]) == (404, "mlp.core.not_found")

    async def test_secret_in_a_path_is_refused(self, client: httpx.AsyncClient, world: World) -> None:
        secret = (await _create(client, world.owner))["token"]
        assert (await client.get(f"{ACME}/token/{secret}", headers=world.owner)).status_code == 400


class TestResolve:
    async def test_resolve_returns_the_identity_of_the_key(self, client: httpx.AsyncClient, world: World) -> None:
        model = (await client.post(f"{ACME}/model", json={"modelName": "m"}, headers=world.owner)).json()["id"]
        made = await _create(client, world.owner, {"permissions": ["predict"], "allowedServices": [model]})
        assert await _resolve(client, world, made["token"]) == {
            "key_id": _id(made),
            "account_id": 1000000001,
            "account_name": "acme",
            "name": "k",
            "permissions": ["predict"],
            "allowed_models": [model["modelId"]],
            "allowed_origins": [],
            "features": ["mlp.model_admin", "mlp.test_form"],
            "expires_at": None,
            "limits": None,
            "max_price_nano": None,
        }

    async def test_revoked_key_does_not_resolve(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        made = await _create(client, world.owner)
        assert (await client.delete(f"{ACME}/token/{_id(made)}", headers=world.owner)).content == b""
        assert await _resolve(client, world, made["token"]) is None
        assert [event.active for event in await published(database, ApiKeyChanged)] == [True, False]
        assert (await client.get(f"{ACME}/token", headers=world.owner)).json() == []
        assert (await client.delete(f"{ACME}/token/{_id(made)}", headers=world.owner)).status_code == 404

    async def test_expired_key_does_not_resolve(
        self, client: httpx.AsyncClient, world: World, clock: ManualClock
    ) -> None:
        hour = {"temporary": True, "maxLifetime": 1, "maxLifetimePeriod": "HOUR"}
        made = await _create(client, world.owner, hour)
        clock.advance(timedelta(minutes=59))
        assert await _resolve(client, world, made["token"]) is not None
        clock.advance(timedelta(minutes=1))
        assert await _resolve(client, world, made["token"]) is None

    @pytest.mark.parametrize(
        "secret", ["", "x", "1.2.3", "1000000001.1." + "x" * 40, "\x00", "9" * 19 + ".1." + "x" * 40]
    )
    async def test_malformed_key_does_not_resolve(self, client: httpx.AsyncClient, world: World, secret: str) -> None:
        assert await _resolve(client, world, secret) is None

    async def test_caller_info_describes_the_key(self, client: httpx.AsyncClient, world: World) -> None:
        secret = str((await _create(client, world.owner, {"permissions": ["read"]}))["token"])
        url = "/api/mlpcore/admin/caller/info"
        body = (await client.get(url, params={"token": secret}, headers=world.admin)).json()
        assert body == {"accountId": 1000000001, "userId": None, "tokenName": "k", "permissions": ["read"]}
        assert (await client.get(url, params={"token": "x"}, headers=world.admin)).status_code == 404
        assert (await client.get(url, headers=world.admin)).json()["permissions"] == ["ACCOUNTS_ADMIN_WRITE"]


class TestOwnCache:
    async def test_own_event_invalidates_the_cached_key(
        self, client: httpx.AsyncClient, world: World, state: CoreState, database: Database
    ) -> None:
        made = await _create(client, world.owner)
        keys = cached_keys(state)
        assert await keys.key(str(made["token"])) is not None
        await client.delete(f"{ACME}/token/{_id(made)}", headers=world.owner)
        for event in await published(database, ApiKeyChanged):
            Invalidator(keys=keys).apply(event)
        assert await keys.key(str(made["token"])) is None
