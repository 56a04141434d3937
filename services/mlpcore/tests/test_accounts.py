import asyncio

import httpx
import pytest

from mlplace_contracts.events import AccountLimitsChanged, ApiKeyChanged, ModelChanged
from mlplace_kit.clock import ManualClock, to_milliseconds
from mlplace_runtime.db.database import Database
from mlplace_testing.events import published
from mlplace_testing.identities import Identities
from mlplace_testing.world import Teller, World, account_changed

CORE = "/api/mlpcore"
LIMITS = {
    "baseModelInstanceLimit": 1,
    "derivedModelInstanceLimit": 2,
    "gpuModelInstanceLimit": 0,
    "cpuLimit": "500m",
    "memoryLimit": "1Gi",
    "ephemeralDiskLimit": "1Gi",
    "predictPerSec": 100,
    "fitPerMinute": 1,
    "storageLimit": "1Gi",
}


class TestEnsureAccount:
    async def test_first_use_returns_the_account_with_default_limits(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        body = (await client.get(f"{CORE}/account", headers=world.owner)).json()
        assert body == {
            "accountId": 1000000001,
            "shortName": "acme",
            "displayName": "acme",
            "email": "owner@example.org",
            "language": "EN",
            "timeZone": "UTC",
            "tags": {},
            "lastActivity": None,
            "limits": {
                "baseModelInstanceLimit": 5,
                "derivedModelInstanceLimit": 10,
                "gpuModelInstanceLimit": 0,
                "cpuLimit": "4",
                "memoryLimit": "8Gi",
                "ephemeralDiskLimit": "20Gi",
                "predictPerSec": 10,
                "fitPerMinute": 5,
                "storageLimit": "10Gi",
            },
        }
        assert (await client.get(f"{CORE}/account/acme", headers=world.owner)).json() == body

    async def test_concurrent_first_uses_create_the_account_once(
        self, client: httpx.AsyncClient, database: Database, identities: Identities
    ) -> None:
        headers = identities.user(identities.account(1000000003, "early-bird"))
        answers = await asyncio.gather(*(client.get(f"{CORE}/account", headers=headers) for _ in range(8)))
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.content for answer in answers}) == 1
        events = await published(database, AccountLimitsChanged)
        assert [event.features for event in events] == [("mlp.model_admin", "mlp.test_form")]

    async def test_late_event_completes_a_placeholder_account(
        self, client: httpx.AsyncClient, identities: Identities, tell: Teller
    ) -> None:
        entry = identities.account(1000000003, "early-bird")
        headers = identities.user(entry)
        assert (await client.get(f"{CORE}/account", headers=headers)).json()["email"] == ""
        await tell(account_changed(entry, display_name="Early Bird"))
        assert (await client.get(f"{CORE}/account", headers=headers)).json()["displayName"] == "Early Bird"


class TestReadModel:
    async def test_older_event_is_ignored(self, client: httpx.AsyncClient, world: World, tell: Teller) -> None:
        await tell(account_changed(world.acme, version=5, display_name="New"))
        await tell(account_changed(world.acme, version=4, display_name="Old"))
        assert (await client.get(f"{CORE}/account/acme/publicName")).json() == "New"

    async def test_new_account_name_is_published_with_its_models(
        self, client: httpx.AsyncClient, world: World, tell: Teller, database: Database
    ) -> None:
        await client.post(f"{CORE}/account/acme/model", json={"modelName": "m"}, headers=world.owner)
        await tell(account_changed(world.acme, version=2, short_name="acme-inc"))
        first, second = await published(database, ModelChanged)
        assert (first.account_name, second.account_name) == ("acme", "acme-inc")
        assert second.version == first.version + 1

    async def test_closed_account_deactivates_its_models_and_keys(
        self, client: httpx.AsyncClient, world: World, tell: Teller, database: Database
    ) -> None:
        await client.post(f"{CORE}/account/acme/model", json={"modelName": "m"}, headers=world.owner)
        key = (await client.post(f"{CORE}/account/acme/token?name=k", headers=world.owner)).json()["token"]
        await tell(account_changed(world.acme, version=2, active=False))
        assert [event.active for event in await published(database, ModelChanged)] == [True, False]
        assert [event.active for event in await published(database, ApiKeyChanged)] == [True, False]
        resolved = await client.post("/internal/mlpcore/keys/resolve", json={"secret": key}, headers=world.internal)
        assert resolved.json() is None


class TestUpdate:
    async def test_owner_changes_language_tags_display_name_and_time_zone(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        body = (await client.get(f"{CORE}/account", headers=world.owner)).json()
        body |= {"language": "RU", "tags": {"team": "nlp"}, "displayName": "Acme Ltd", "timeZone": "Europe/Berlin"}
        answer = await client.post(f"{CORE}/account", json=body, headers=world.owner)
        assert answer.json() == body
        assert (await client.get(f"{CORE}/account", headers=world.owner)).json() == body

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"accountId": 1000000002}, "accountId"),
            ({"shortName": "other"}, "shortName"),
            ({"limits": LIMITS}, "limits"),
            ({"language": "DE"}, "language"),
            ({"timeZone": "Mars/Base"}, "timeZone"),
            ({"timeZone": "../etc/passwd"}, "timeZone"),
        ],
    )
    async def test_change_of_another_field_is_refused(
        self, client: httpx.AsyncClient, world: World, change: dict[str, object], field: str
    ) -> None:
        body = (await client.get(f"{CORE}/account", headers=world.owner)).json() | change
        answer = await client.post(f"{CORE}/account", json=body, headers=world.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field])

    async def test_what_is_not_sent_stays(self, client: httpx.AsyncClient, world: World) -> None:
        body = (await client.get(f"{CORE}/account", headers=world.owner)).json()
        assert body["timeZone"] == "UTC"  # that of the installation
        names = {name: body[name] for name in ("accountId", "shortName")}
        await client.post(f"{CORE}/account", json=names | {"timeZone": "Asia/Almaty"}, headers=world.owner)
        kept = await client.post(f"{CORE}/account", json=names | {"language": "RU"}, headers=world.owner)
        assert (kept.json()["timeZone"], kept.json()["language"]) == ("Asia/Almaty", "RU")

    async def test_member_without_write_permission_is_refused(self, client: httpx.AsyncClient, world: World) -> None:
        body = (await client.get(f"{CORE}/account", headers=world.owner)).json()
        assert (await client.post(f"{CORE}/account", json=body, headers=world.user)).status_code == 403


class TestActivity:
    async def test_activity_is_stored(self, client: httpx.AsyncClient, world: World, clock: ManualClock) -> None:
        assert (await client.post(f"{CORE}/account/acme/activity", headers=world.user)).content == b""
        body = (await client.get(f"{CORE}/account", headers=world.owner)).json()
        assert body["lastActivity"] == to_milliseconds(clock.now())
        assert (await client.post(f"{CORE}/account/acme/activity", headers=world.stranger)).status_code == 403


class TestAdministration:
    async def test_accounts_are_searched_by_name_and_id(self, client: httpx.AsyncClient, world: World) -> None:
        async def found(query: str) -> list[str]:
            answer = await client.get(f"{CORE}/admin/accounts?{query}", headers=world.admin)
            return [entry["shortName"] for entry in answer.json()]

        assert await found("") == ["acme", "globex"]
        assert await found("name=LOB") == ["globex"]
        assert await found("name=1000000001") == ["acme"]
        assert await found("name=%25") == []
        assert await found("limit=1&skip=1") == ["globex"]

    async def test_limits_are_set_and_published(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        answer = await client.post(f"{CORE}/admin/account/acme/limits", json=LIMITS, headers=world.admin)
        assert answer.json()["limits"] == LIMITS
        events = [event for event in await published(database, AccountLimitsChanged) if event.account_id == 1000000001]
        assert [(event.version, event.predict_per_sec) for event in events] == [(1, 10), (2, 100)]

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"cpuLimit": "0"}, "cpuLimit"),
            ({"memoryLimit": "8GiB"}, "memoryLimit"),
            ({"memoryLimit": "-1Gi"}, "memoryLimit"),
            ({"memoryLimit": "99999999Ei"}, "memoryLimit"),
            ({"predictPerSec": -1}, "predictPerSec"),
            ({"predictPerSec": 2**40}, "predictPerSec"),
        ],
    )
    async def test_invalid_limit_is_refused(
        self, client: httpx.AsyncClient, world: World, change: dict[str, object], field: str
    ) -> None:
        answer = await client.post(f"{CORE}/admin/account/acme/limits", json=LIMITS | change, headers=world.admin)
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field])

    async def test_features_are_set_and_published(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        body = {
            "features": [
                {"name": "MLP.Public_Model_Admin", "enabled": True},
                {"name": "mlp.test_form", "enabled": False},
            ]
        }
        url = f"{CORE}/admin/account/acme/features"
        assert (await client.post(url, json=body, headers=world.admin)).content == b""
        shown = (await client.get(url, headers=world.admin)).json()["features"]
        enabled = [entry["name"] for entry in shown if entry["enabled"]]
        assert enabled == ["mlp.model_admin", "mlp.public_model_admin"]
        assert len(shown) == 6
        assert (await published(database, AccountLimitsChanged))[-1].features == tuple(enabled)

    async def test_unknown_feature_or_account_is_refused(self, client: httpx.AsyncClient, world: World) -> None:
        bad = {"features": [{"name": "mlp.everything", "enabled": True}]}
        answer = await client.post(f"{CORE}/admin/account/acme/features", json=bad, headers=world.admin)
        assert answer.status_code == 400
        missing = await client.get(f"{CORE}/admin/account/nobody", headers=world.admin)
        assert missing.json()["code"] == "mlp.gate.account_not_found"

    async def test_disabled_feature_is_refused_at_once(self, client: httpx.AsyncClient, world: World) -> None:
        off = {"features": [{"name": "mlp.model_admin", "enabled": False}]}
        await client.post(f"{CORE}/admin/account/acme/features", json=off, headers=world.admin)
        answer = await client.post(f"{CORE}/account/acme/model", json={"modelName": "m"}, headers=world.owner)
        assert (answer.status_code, answer.json()["args"]) == (403, {"feature": "mlp.model_admin"})


class TestInternalRoutes:
    async def test_bootstrap_is_idempotent(self, client: httpx.AsyncClient, world: World, database: Database) -> None:
        body = {"account_id": 1000000001, "features": ["mlp.public_model_admin"]}
        for _ in range(2):
            await client.post("/internal/mlpcore/bootstrap/account", json=body, headers=world.internal)
        assert len([e for e in await published(database, AccountLimitsChanged) if e.account_id == 1000000001]) == 2

    async def test_each_change_of_one_request_has_its_own_version(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        """Readers ignore an event with a known version: with one version, the limits would never reach the gates."""
        snake = {"".join(f"_{c.lower()}" if c.isupper() else c for c in name): value for name, value in LIMITS.items()}
        body = {"account_id": 1000000001, "features": ["mlp.public_model_admin"], "limits": snake}
        answer = await client.post("/internal/mlpcore/bootstrap/account", json=body, headers=world.internal)
        assert answer.status_code == 200, answer.text
        told = [e for e in await published(database, AccountLimitsChanged) if e.account_id == 1000000001]
        assert [event.version for event in told] == [1, 2, 3]
        assert told[-1].predict_per_sec == 100

    async def test_bootstrap_works_before_the_account_is_known(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        body = {"account_id": 1000000009, "features": ["mlp_billing.no_blocking"]}
        answer = await client.post("/internal/mlpcore/bootstrap/account", json=body, headers=world.internal)
        assert answer.status_code == 200
        assert "mlp_billing.no_blocking" in (await published(database, AccountLimitsChanged))[-1].features

    @pytest.mark.parametrize(("ref", "name"), [("acme", "acme"), ("1000000002", "globex"), ("nobody", None)])
    async def test_accounts_are_found_by_id_or_name(
        self, client: httpx.AsyncClient, world: World, ref: str, name: str | None
    ) -> None:
        body = (await client.get(f"/internal/mlpcore/accounts/{ref}", headers=world.internal)).json()
        assert (body and body["short_name"]) == name

    async def test_republish_publishes_all_objects_again(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await client.post(f"{CORE}/account/acme/model", json={"modelName": "m"}, headers=world.owner)
        await client.post(f"{CORE}/account/acme/token?name=k", headers=world.owner)
        await client.post("/internal/mlpcore/republish", headers=world.internal)
        assert [event.version for event in await published(database, ModelChanged)] == [1, 1]
        assert [event.version for event in await published(database, ApiKeyChanged)] == [1, 1]
        assert len(await published(database, AccountLimitsChanged)) == 4


class TestNetworks:
    async def test_allowed_networks_are_published_and_decide_on_addresses(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        async def allowed(address: str) -> bool:
            url = f"{CORE}/admin/account/acme/access-by-ip?ipAddress={address}"
            return (await client.get(url, headers=world.admin)).json()["allowed"]

        url = f"{CORE}/admin/account/acme/whiteList"
        assert await allowed("203.0.113.9")
        body = [
            "10.1.2.3/8",
            " 192.0.2.7 ",
            "2001:db8::/32",
            "10.0.0.0/8",
            "::ffff:198.51.100.0/120",
            "::ffff:192.0.2.7",
        ]
        assert (await client.post(url, json=body, headers=world.admin)).status_code == 200
        networks = ("10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32", "198.51.100.0/24")
        assert (await published(database, AccountLimitsChanged))[-1].allowed_networks == networks
        found = [await allowed(address) for address in ("10.9.9.9", "192.0.2.7", "2001:db8::1", "203.0.113.9")]
        assert found == [True, True, True, False]
        await client.post(url, json=[], headers=world.admin)
        assert (await published(database, AccountLimitsChanged))[-1].allowed_networks is None
        assert await allowed("203.0.113.9")

    async def test_invalid_network_is_refused_and_changes_nothing(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        before = await published(database, AccountLimitsChanged)
        for body in (
            ["10.0.0.0/8", "nobody"],
            ["10.0.0.0/33"],
            ["::ffff:127.0.0.1/24"],
            [""],
            [f"10.0.{n // 256}.{n % 256}" for n in range(1001)],
        ):
            answer = await client.post(f"{CORE}/admin/account/acme/whiteList", json=body, headers=world.admin)
            assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.validation_error")
        assert await published(database, AccountLimitsChanged) == before
        answer = await client.get(f"{CORE}/admin/account/acme/access-by-ip?ipAddress=x", headers=world.admin)
        assert (answer.status_code, answer.json()["args"]) == (400, {"ipAddress": "is not an IP address"})
