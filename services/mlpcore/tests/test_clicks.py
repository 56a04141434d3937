from datetime import timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from mlpcore.features.clicks.forgetting import forget_old_clicks
from mlpcore.features.clicks.service import KEPT_FOR, PER_MINUTE
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock, to_milliseconds
from mlplace_runtime.db.database import Database
from mlplace_testing.world import World

URL = "/api/mlpcore/clicks"
OWN = "/api/mlpcore/account/acme/clicks"


@pytest.fixture
def state(state: CoreState, database: Database) -> CoreState:
    """An installation that stores usage events."""
    settings = MlpcoreSettings(database_url=database.url, save_clicks_enabled=True)
    return CoreState(
        settings=settings, database=state.database, clock=state.clock, hasher=state.hasher, vault=state.vault,
        ports=state.ports,
    )  # fmt: skip


def click(**fields: object) -> dict[str, object]:
    return {"eventType": "click", "pageUrl": "/catalog/", **fields}


async def shown(client: httpx.AsyncClient, headers: dict[str, str], url: str = OWN, **query: str) -> list[Any]:
    answer = await client.get(url, headers=headers, params=query)
    assert answer.status_code == 200, answer.text
    found: list[Any] = answer.json()
    return found


class TestSaving:
    async def test_event_of_a_member_is_stored_for_the_account(
        self, client: httpx.AsyncClient, world: World, clock: ManualClock
    ) -> None:
        when = to_milliseconds(clock.now() - timedelta(minutes=5))
        event = click(accountId=world.acme.account_id, description="button", elementId=3, creationTime=when)
        answer = await client.post(URL, json=[event], headers=world.owner)
        assert (answer.status_code, answer.content) == (200, b"")
        (kept,) = await shown(client, world.user)
        assert kept == {**event, "entityId": None, "entityType": None}

    async def test_event_for_another_account_is_stored_without_the_account(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        for headers in (None, world.stranger):
            event = click(accountId=world.acme.account_id)
            assert (await client.post(URL, json=[event], headers=headers)).status_code == 200
        assert await shown(client, world.owner) == []

    @pytest.mark.parametrize("distance", [timedelta(days=400), timedelta(days=-400)])
    async def test_time_more_than_a_day_off_is_replaced(
        self, client: httpx.AsyncClient, world: World, clock: ManualClock, distance: timedelta
    ) -> None:
        event = click(accountId=world.acme.account_id, creationTime=to_milliseconds(clock.now() + distance))
        await client.post(URL, json=[event], headers=world.owner)
        (kept,) = await shown(client, world.owner)
        assert kept["creationTime"] == to_milliseconds(clock.now())

    @pytest.mark.parametrize(
        "body",
        [
            [click()] * 201,
            [click(pageUrl="x" * 2049)],
            [click(description="x" * 4097)],
            [click(eventType="")],
            [click(elementId="x")],
            [click(creationTime=2**63)],
            [click(pageUrl="a\0b")],
            [click(unknown=1)],
            [{}],
            {},
        ],
    )
    async def test_invalid_or_too_large_request_is_refused(
        self, client: httpx.AsyncClient, world: World, body: object
    ) -> None:
        assert (await client.post(URL, json=body, headers=world.owner)).status_code == 400

    async def test_events_are_limited_per_address(
        self, client: httpx.AsyncClient, world: World, clock: ManualClock
    ) -> None:
        batch = [click()] * 200
        for _ in range(PER_MINUTE // 200):
            assert (await client.post(URL, json=batch)).status_code == 200
        refused = await client.post(URL, json=[click()])
        assert (refused.status_code, refused.json()["code"]) == (429, "mlp.core.too_many_usage_events")
        clock.advance(timedelta(minutes=2))
        assert (await client.post(URL, json=[click()])).status_code == 200

    async def test_nothing_is_stored_when_usage_events_are_disabled(
        self, client: httpx.AsyncClient, world: World, app: FastAPI, database: Database
    ) -> None:
        plain = app.state.service
        app.state.service = CoreState(
            settings=MlpcoreSettings(database_url=database.url), database=plain.database, clock=plain.clock,
            hasher=plain.hasher, vault=plain.vault, ports=plain.ports,
        )  # fmt: skip
        await client.post(URL, json=[click(accountId=world.acme.account_id)], headers=world.owner)
        assert await shown(client, world.owner) == []


class TestReports:
    async def test_report_of_a_model_hides_the_accounts_of_other_visitors(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        made = await client.post("/api/mlpcore/account/acme/model", json={"modelName": "m"}, headers=world.owner)
        model_id = made.json()["id"]["modelId"]
        visit = {"entityType": "model", "entityId": model_id}
        await client.post(URL, json=[click(accountId=world.globex.account_id, **visit)], headers=world.stranger)
        await client.post(URL, json=[click(accountId=world.acme.account_id, **visit)], headers=world.owner)
        url = "/api/mlpcore/account/acme/model/m/clicks"
        found = await shown(client, world.owner, url)
        assert {entry["accountId"] for entry in found} == {None, world.acme.account_id}
        assert (await client.get(url, headers=world.stranger)).status_code == 403

    async def test_report_covers_whole_days(self, client: httpx.AsyncClient, world: World, clock: ManualClock) -> None:
        await client.post(URL, json=[click(accountId=world.acme.account_id)], headers=world.owner)
        today = clock.now().date()
        yesterday = (today - timedelta(days=1)).isoformat()
        assert len(await shown(client, world.owner, startDate=today.isoformat(), endDate=today.isoformat())) == 1
        assert await shown(client, world.owner, endDate=yesterday) == []
        assert await shown(client, world.owner, endDate="0001-01-01") == []
        wrong = await client.get(OWN, headers=world.owner, params={"startDate": "2026-02-02", "endDate": "2026-02-01"})
        assert (wrong.status_code, wrong.json()["message"]) == (400, "startDate: must not be after endDate")
        assert (await client.get(OWN, headers=world.owner, params={"startDate": "x"})).status_code == 400

    async def test_only_members_may_read_reports(self, client: httpx.AsyncClient, world: World) -> None:
        assert (await client.get(OWN)).status_code == 401
        assert (await client.get(OWN, headers=world.stranger)).status_code == 403

    async def test_events_are_deleted_after_ninety_days(
        self, client: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        await client.post(URL, json=[click(accountId=world.acme.account_id)], headers=world.owner)
        first = clock.now().date().isoformat()
        clock.advance(KEPT_FOR + timedelta(days=1))
        await forget_old_clicks(state)
        assert await shown(client, world.owner, startDate=first) == []
