"""An installation that needs a licence: its standing, notifications and refusals."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from prometheus_client import REGISTRY

from mlpcore.features.license.checking import LicenseCheck
from mlpcore.features.notifications.repository import StandingRepository
from mlpcore.licensing.schemas import LicenseTerms
from mlpcore.licensing.terms import sign
from mlpcore.licensing.watch import LicenseWatch
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_testing.world import Teller, World, account_changed

KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
SETTINGS = "/api/mlpcore/system-config/frontend-settings"
OVERVIEW = "/api/mlpcore/admin/license"
MODELS = "/api/mlpcore/account/acme/model"
Issue = Callable[..., None]


@pytest.fixture
def license_file(tmp_path: Path) -> Path:
    return tmp_path / "license"


@pytest.fixture
def state(state: CoreState, database: Database, license_file: Path) -> CoreState:
    settings = MlpcoreSettings(database_url=database.url, license_file=str(license_file))
    return replace(
        state, settings=settings, license=LicenseWatch(KEY.public_key(), dashboard_url="https://g.example/d")
    )


@pytest.fixture
def issue(license_file: Path, clock: ManualClock) -> Issue:
    """Writes a licence for one year to the licence file."""

    def write(**terms: object) -> None:
        now = clock.now()
        values: dict[str, Any] = {"customer": "acme", "not_before": now, "expires": now + timedelta(days=365)} | terms
        license_file.write_text(sign(LicenseTerms(**values), KEY))

    return write


async def shown(client: httpx.AsyncClient) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get(SETTINGS)).json()["license"]
    return found


async def create(client: httpx.AsyncClient, world: World, name: str) -> httpx.Response:
    return await client.post(MODELS, json={"modelName": name}, headers=world.owner)


class TestShown:
    async def test_valid_licence_shows_dates_and_limits(
        self, client: httpx.AsyncClient, state: CoreState, issue: Issue, clock: ManualClock
    ) -> None:
        issue(allowed_services=2, cpu_total_count=8)
        await LicenseCheck(state).turn()
        found = await shown(client)
        assert datetime.fromisoformat(found["licenseStarts"]) == clock.now()
        assert found["limits"]["allowedServices"] == 2
        assert found["limits"]["vramTotalGb"] is None
        said = [found[name] for name in ("licenseExpiredOrInvalid", "licenseExpiresSoon", "softLimitsAreExceeded")]
        assert said == [False, False, False]
        assert found["grafanaLicenseDashboardUrl"] == "https://g.example/d"

    async def test_licence_expires_soon_and_then_is_expired(
        self, client: httpx.AsyncClient, state: CoreState, issue: Issue, clock: ManualClock
    ) -> None:
        issue()
        await LicenseCheck(state).turn()
        clock.advance(timedelta(days=340))
        assert (await shown(client))["licenseExpiresSoon"] is True
        clock.advance(timedelta(days=30))
        assert (await shown(client))["licenseExpiredOrInvalid"] is True

    async def test_unreadable_licence_is_invalid_and_blocks_creation(
        self, client: httpx.AsyncClient, state: CoreState, world: World
    ) -> None:
        await LicenseCheck(state).turn()
        found = await shown(client)
        assert (found["licenseExpiredOrInvalid"], found["limits"], found["licenseEnds"]) == (True, None, None)
        refused = await create(client, world, "m")
        assert (refused.status_code, refused.json()["code"]) == (403, "mlp.core.license_limit_exceeded")

    async def test_installation_without_a_key_needs_no_licence(
        self, client: httpx.AsyncClient, app: Any, state: CoreState, world: World
    ) -> None:
        app.state.service = replace(state, license=LicenseWatch())
        await LicenseCheck(app.state.service).turn()
        assert (await client.get(SETTINGS)).json()["license"] is None
        assert (await create(client, world, "m")).status_code == 200


class TestOverview:
    async def test_has_the_limits_and_what_is_used_of_them_now(
        self, client: httpx.AsyncClient, state: CoreState, issue: Issue, world: World
    ) -> None:
        issue(allowed_services=1, allowed_to_fit=False, grace_days=7, hard_percent=300)
        await LicenseCheck(state).turn()
        for name in ("a", "b"):
            assert (await create(client, world, name)).status_code == 200
        found = (await client.get(OVERVIEW, headers=world.admin)).json()
        told = [found[name] for name in ("required", "customer", "graceDays", "hardPercent")]
        assert told == [True, "acme", 7, 300]
        assert found["usage"] == {"services": 2, "vllmModels": 0, "cpu": 0.0, "vramGb": 0.0}
        assert (found["license"]["limits"]["allowedServices"], found["license"]["limits"]["allowedToFit"]) == (1, False)
        said = [found["license"][name] for name in ("softLimitsAreExceeded", "hardLimitsAreExceeded")]
        assert said == [True, False]

    async def test_of_an_unreadable_licence_has_the_usage(
        self, client: httpx.AsyncClient, state: CoreState, world: World
    ) -> None:
        await LicenseCheck(state).turn()
        found = (await client.get(OVERVIEW, headers=world.admin)).json()
        assert (found["required"], found["customer"], found["graceDays"]) == (True, None, None)
        assert (found["license"]["licenseExpiredOrInvalid"], found["usage"]["services"]) == (True, 0)

    async def test_of_an_installation_that_needs_none(
        self, client: httpx.AsyncClient, app: Any, state: CoreState, world: World
    ) -> None:
        app.state.service = replace(state, license=LicenseWatch())
        await create(client, world, "m")
        found = (await client.get(OVERVIEW, headers=world.admin)).json()
        assert (found["required"], found["license"], found["usage"]["services"]) == (False, None, 1)

    async def test_is_for_superadmins_alone(self, client: httpx.AsyncClient, world: World) -> None:
        for headers, status in ((world.owner, 403), ({}, 401)):
            assert (await client.get(OVERVIEW, headers=headers)).status_code == status


class TestMetric:
    async def test_its_end_is_a_metric(self, state: CoreState, issue: Issue, clock: ManualClock) -> None:
        def told() -> float | None:
            return REGISTRY.get_sample_value("mlp_core_license_expires_timestamp_seconds")

        ends = clock.now() + timedelta(days=365)
        check = LicenseCheck(state)
        await check.turn()
        assert told() == -1
        issue()
        await check.turn()
        assert told() == ends.timestamp()
        clock.advance(timedelta(days=366))
        await check.turn()
        assert told() == -1


class TestLimits:
    async def test_excess_is_soft_during_the_grace_period_and_hard_after_it(
        self, client: httpx.AsyncClient, state: CoreState, issue: Issue, clock: ManualClock, world: World
    ) -> None:
        issue(allowed_services=10)
        check = LicenseCheck(state)
        await check.turn()
        for number in range(11):
            assert (await create(client, world, f"m{number}")).status_code == 200
        await check.turn()
        found = await shown(client)
        assert (found["softLimitsAreExceeded"], found["hardLimitsAreExceeded"]) == (True, False)
        assert found["daysLeftBeforeHardLimits"] == 14
        clock.advance(timedelta(days=3, hours=1))
        await check.turn()
        assert (await shown(client))["daysLeftBeforeHardLimits"] == 11
        assert (await create(client, world, "within-grace")).status_code == 200
        clock.advance(timedelta(days=11))
        await check.turn()
        found = await shown(client)
        assert (found["hardLimitsAreExceeded"], found["daysLeftBeforeHardLimits"]) == (True, None)
        assert (await create(client, world, "too-late")).json()["code"] == "mlp.core.license_limit_exceeded"

    async def test_grace_period_restarts_after_the_excess_has_ended(
        self, client: httpx.AsyncClient, state: CoreState, issue: Issue, clock: ManualClock, world: World
    ) -> None:
        issue(allowed_services=10)
        check = LicenseCheck(state)
        for number in range(11):
            await create(client, world, f"m{number}")
        await check.turn()
        clock.advance(timedelta(days=10))
        await client.delete(f"{MODELS}/m0", headers=world.owner)
        await check.turn()
        assert (await shown(client))["softLimitsAreExceeded"] is False
        await create(client, world, "again")
        await check.turn()
        assert (await shown(client))["daysLeftBeforeHardLimits"] == 14

    async def test_usage_far_above_a_limit_is_refused_before_the_next_check(
        self, client: httpx.AsyncClient, state: CoreState, issue: Issue, world: World
    ) -> None:
        issue(allowed_services=5)
        await LicenseCheck(state).turn()
        answers = [(await create(client, world, f"m{number}")).status_code for number in range(9)]
        assert answers == [200] * 7 + [403] * 2

    async def test_licence_without_development_refuses_new_models(
        self, client: httpx.AsyncClient, state: CoreState, issue: Issue, world: World
    ) -> None:
        issue(allowed_to_develop=False)
        await LicenseCheck(state).turn()
        assert (await create(client, world, "m")).status_code == 403


class TestStarts:
    async def test_expired_licence_refuses_starts_but_not_stops(
        self, client: httpx.AsyncClient, state: CoreState, issue: Issue, world: World, clock: ManualClock
    ) -> None:
        issue()
        await LicenseCheck(state).turn()
        body = {"modelName": "m", "hostingType": "HOSTING_SERVER"}
        assert (await client.post(MODELS, json=body, headers=world.owner)).status_code == 200
        instances = f"{MODELS}/m/instances"
        assert (await client.post(instances, json=2, headers=world.owner)).status_code == 200
        clock.advance(timedelta(days=366))
        refused = await client.post(instances, json=3, headers=world.owner)
        assert (refused.status_code, refused.json()["code"]) == (403, "mlp.core.license_limit_exceeded")
        assert (await client.post(instances, json=1, headers=world.owner)).status_code == 200


class TestNotifications:
    async def test_administrators_are_notified_once_a_day(
        self, client: httpx.AsyncClient, state: CoreState, world: World, tell: Teller, clock: ManualClock
    ) -> None:
        await tell(account_changed(world.acme, version=2, owner_user_id=77))
        async with state.database.transaction() as session:
            await StandingRepository(session).set_administrator(user_id=77, version=1, administrator=True)
        for _ in range(2):
            await LicenseCheck(state).turn()
        clock.advance(timedelta(days=1))
        await LicenseCheck(state).turn()
        found = (await client.get("/api/mlpcore/account/acme/notification", headers=world.owner)).json()
        assert [one["type"] for one in found] == ["LICENSE_NOT_VALID"] * 2
        assert found[0]["grafanaLicenseDashboardUrl"] == "https://g.example/d"
        theirs = await client.get("/api/mlpcore/account/globex/notification", headers=world.stranger)
        assert theirs.json() == []
