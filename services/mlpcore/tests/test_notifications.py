from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from mlpcore import registry
from mlpcore.features.api_keys.expiring import warn_of_expiring_keys
from mlpcore.features.api_keys.mails import expiry_mail
from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.notifications.forgetting import forget_old_notifications
from mlpcore.features.notifications.repository import NotificationRepository, StandingRepository
from mlpcore.features.notifications.schemas import NotificationType, Severity
from mlpcore.features.notifications.service import KEPT_FOR, NewNotification
from mlpcore.features.servers.watching import ServerWatch
from mlpcore.state import CoreState
from mlplace_contracts.events import BalanceChanged, Event, MembershipChanged, RefillDone, UserChanged
from mlplace_kit.clock import ManualClock
from mlplace_testing.identities import Identities
from mlplace_testing.post import Post
from mlplace_testing.world import Teller, World, account_changed

URL = "/api/mlpcore/account/acme/notification"
BROADCAST = "/api/mlpcore/notification/broadcast"
Told = Callable[..., Awaitable[None]]


@pytest.fixture
def told(state: CoreState) -> Told:
    """Passes events to the consumer of other services' events in a transaction, as the consumer's loop does."""

    async def run(*events: Event) -> None:
        consumers = [make(state) for make in registry.CONSUMERS]
        consumer = next(consumer for consumer in consumers if consumer.name == "mlpcore.notifications")
        async with state.database.transaction() as session:
            await consumer.handle(session, events)

    return run


async def tell(state: CoreState, *accounts: int, text: str = "t", occasion: str | None = None) -> None:
    async with state.database.transaction() as session:
        notification = NewNotification(NotificationType.NONE, Severity.INFO, text, occasion=occasion)
        await notifier_of(session, state.clock).notify(accounts, notification)


async def listed(client: httpx.AsyncClient, headers: dict[str, str], **query: object) -> list[dict[str, Any]]:
    answer = await client.get(URL, headers=headers, params={k: str(v) for k, v in query.items()})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


def balance(account_id: int, currency: str, version: int, *, blocked: bool) -> BalanceChanged:
    return BalanceChanged.model_validate(
        {"account_id": account_id, "currency": currency, "version": version, "main_nano": 0, "income_nano": 0,
         "blocked": blocked}
    )  # fmt: skip


class TestList:
    async def test_list_shows_the_newest_first_up_to_the_limit(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        for text in ("first", "second", "third"):
            await tell(state, world.acme.account_id, text=text)
        await tell(state, world.globex.account_id, text="not theirs")
        assert [one["textMessage"] for one in await listed(client, world.owner)] == ["third", "second", "first"]
        assert [one["textMessage"] for one in await listed(client, world.owner, limit=1)] == ["third"]

    @pytest.mark.parametrize("limit", ["0", "-1", "1001", "x"])
    async def test_invalid_limit_is_refused(self, client: httpx.AsyncClient, world: World, limit: str) -> None:
        assert (await client.get(URL, headers=world.owner, params={"limit": limit})).status_code == 400

    async def test_only_members_may_read(self, client: httpx.AsyncClient, world: World) -> None:
        assert (await client.get(URL)).status_code == 401
        foreign = await client.get(URL, headers=world.stranger)
        missing = await client.get("/api/mlpcore/account/nobody/notification", headers=world.stranger)
        assert (foreign.status_code, foreign.json()["code"]) == (403, "account.access.denied")
        assert missing.json()["code"] == foreign.json()["code"]
        assert (await client.get(URL, headers=world.user)).status_code == 200


class TestRead:
    async def test_read_mark_is_per_caller(self, client: httpx.AsyncClient, world: World, state: CoreState) -> None:
        await tell(state, world.acme.account_id)
        ((one,)) = await listed(client, world.owner)
        answer = await client.put(URL, json={"ids": [one["id"]]}, headers=world.owner)
        assert (answer.status_code, answer.content) == (200, b"")
        ((read,)) = await listed(client, world.owner)
        assert datetime.fromisoformat(read["readAt"]) == state.clock.now()
        assert (await listed(client, world.user))[0]["readAt"] is None

    async def test_repeated_read_keeps_the_first_time(
        self, client: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        await tell(state, world.acme.account_id)
        ((one,)) = await listed(client, world.owner)
        body = {"ids": [one["id"], one["id"]]}
        await client.put(URL, json=body, headers=world.owner)
        first = (await listed(client, world.owner))[0]["readAt"]
        clock.advance(timedelta(hours=1))
        await client.put(URL, json=body, headers=world.owner)
        assert (await listed(client, world.owner))[0]["readAt"] == first

    async def test_notification_of_another_account_is_not_marked(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await tell(state, world.acme.account_id)
        ((one,)) = await listed(client, world.owner)
        theirs = URL.replace("acme", "globex")
        assert (await client.put(theirs, json={"ids": [one["id"]]}, headers=world.stranger)).status_code == 200
        assert (await listed(client, world.owner))[0]["readAt"] is None
        assert (await client.put(URL, json={"ids": [one["id"]]}, headers=world.stranger)).status_code == 403

    @pytest.mark.parametrize("ids", [None, ["x"], ["-1"], ["9" * 19], [["1"]], "1", ["1"] * 1001])
    async def test_invalid_ids_are_refused(self, client: httpx.AsyncClient, world: World, ids: object) -> None:
        assert (await client.put(URL, json={"ids": ids}, headers=world.owner)).status_code == 400


class TestBroadcast:
    async def test_broadcast_reaches_every_open_account(
        self, client: httpx.AsyncClient, world: World, tell: Teller
    ) -> None:
        await tell(account_changed(world.globex, version=2, active=False))
        body = {"textMessage": "Maintenance tonight", "severity": "WARNING"}
        assert (await client.post(BROADCAST, json=body, headers=world.admin)).status_code == 200
        ((one,)) = await listed(client, world.owner)
        assert (one["type"], one["severity"], one["textMessage"]) == ("BROADCAST", "WARNING", "Maintenance tonight")
        theirs = await client.get(URL.replace("acme", "globex"), headers=world.stranger)
        assert theirs.json() == []

    async def test_only_superadmins_may_broadcast(self, client: httpx.AsyncClient, world: World) -> None:
        body = {"textMessage": "t"}
        assert (await client.post(BROADCAST, json=body)).status_code == 401
        assert (await client.post(BROADCAST, json=body, headers=world.owner)).status_code == 403

    @pytest.mark.parametrize("body", [{}, {"textMessage": ""}, {"textMessage": "x" * 2001}, {"textMessage": "a\0b"}])
    async def test_invalid_text_is_refused(self, client: httpx.AsyncClient, world: World, body: object) -> None:
        assert (await client.post(BROADCAST, json=body, headers=world.admin)).status_code == 400


class TestBlocking:
    async def test_blocking_in_two_currencies_is_notified_once(
        self, client: httpx.AsyncClient, world: World, told: Told
    ) -> None:
        account = world.acme.account_id
        await told(balance(account, "RUBLE", 1, blocked=False))
        await told(balance(account, "RUBLE", 2, blocked=True), balance(account, "TOKEN", 1, blocked=True))
        await told(balance(account, "RUBLE", 3, blocked=False))
        await told(balance(account, "RUBLE", 2, blocked=True))
        await told(balance(account, "TOKEN", 2, blocked=False))
        found = [(one["operationType"], one["severity"]) for one in await listed(client, world.owner)]
        assert found == [("UNBLOCK", "INFO"), ("BLOCK", "ERROR")]


class TestRefills:
    @pytest.mark.parametrize(("source", "count"), [("CARD", 1), ("WELCOME_BONUS", 0)])
    async def test_card_payment_is_notified_once(
        self, client: httpx.AsyncClient, world: World, told: Told, state: CoreState, source: str, count: int
    ) -> None:
        event = RefillDone.model_validate(
            {"refill_id": 1, "account_id": world.acme.account_id, "user_id": 1, "source": source, "currency": "RUBLE",
             "amount_nano": 12_500_000_000, "done_at": state.clock.now()}
        )  # fmt: skip
        await told(event, event)
        found = await listed(client, world.owner)
        assert [one["textMessage"] for one in found] == ["The balance was topped up by 12.50 RUBLE"] * count
        said = {"textKey": "REFILL_DONE", "textArgs": {"amount": "12.50", "currency": "RUBLE"}}
        assert all(said.items() <= one.items() for one in found)


class TestMemberships:
    async def test_gained_and_lost_access_are_notified_once_each(
        self, client: httpx.AsyncClient, world: World, told: Told
    ) -> None:
        person = {"account_id": world.acme.account_id, "user_id": 9, "login": "ann@example.org"}
        begun = MembershipChanged.model_validate({**person, "roles": ("MLP_USER",), "version": 1})
        ended = MembershipChanged.model_validate({**person, "roles": (), "version": 2})
        await told(begun)
        await told(begun, ended)
        found = [(one["operationType"], one["textKey"], one["textArgs"]) for one in await listed(client, world.owner)]
        args = {"login": "ann@example.org"}
        assert found == [("EVICT", "ACCESS_ENDED", args), ("GRANT", "ACCESS_GRANTED", args)]

    async def test_changed_roles_are_not_notified(self, client: httpx.AsyncClient, world: World, told: Told) -> None:
        person = {"account_id": world.acme.account_id, "user_id": 9, "login": "ann@example.org"}
        held = (("MLP_USER",), ("MLP_DEVELOPER",), ("OWNER",), ("MLP_USER",), (), ("MLP_DEVELOPER",))
        notifications = [
            MembershipChanged.model_validate({**person, "roles": roles, "version": version})
            for version, roles in enumerate(held, start=1)
        ]
        await told(*notifications)
        await told(notifications[4])
        found = [one["textKey"] for one in await listed(client, world.owner)]
        assert found == ["ACCESS_GRANTED", "ACCESS_ENDED", "ACCESS_GRANTED"]

    async def test_members_are_tracked_per_user_and_account(
        self, client: httpx.AsyncClient, world: World, told: Told
    ) -> None:
        for entry, user_id in ((world.acme, 9), (world.acme, 10), (world.globex, 9)):
            person = {"account_id": entry.account_id, "user_id": user_id, "login": f"{user_id}@example.org"}
            await told(MembershipChanged.model_validate({**person, "roles": ("MLP_USER",), "version": 1}))
        found = [one["textArgs"]["login"] for one in await listed(client, world.owner)]
        assert found == ["10@example.org", "9@example.org"]

    @pytest.mark.parametrize(("login", "roles"), [(None, ("MLP_USER",)), ("ann@example.org", ("OWNER",))])
    async def test_owner_and_event_without_a_login_are_not_notified(
        self, client: httpx.AsyncClient, world: World, told: Told, login: str | None, roles: tuple[str, ...]
    ) -> None:
        person = {"account_id": world.acme.account_id, "user_id": 9, "login": login}
        await told(MembershipChanged.model_validate({**person, "roles": roles, "version": 1}))
        assert await listed(client, world.owner) == []


class TestExpiringKeys:
    async def make(self, client: httpx.AsyncClient, world: World, days: int) -> None:
        body = {"name": f"of {days} days", "temporary": True, "maxLifetime": days, "maxLifetimePeriod": "DAY"}
        answer = await client.post("/api/mlpcore/account/acme/token", json=body, headers=world.owner)
        assert answer.status_code == 200, answer.text

    async def warned(self, client: httpx.AsyncClient, world: World, state: CoreState) -> list[str]:
        await warn_of_expiring_keys(state)
        return [one["textMessage"] for one in await listed(client, world.owner)]

    async def test_account_is_notified_a_week_and_a_day_before_expiry_once_each(
        self, client: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        await self.make(client, world, 30)
        assert await self.warned(client, world, state) == []
        clock.advance(timedelta(days=23.5))
        week = ["The API key of 30 days expires in less than 7 days"]
        assert await self.warned(client, world, state) == week
        assert await self.warned(client, world, state) == week
        clock.advance(timedelta(days=6))
        both = ["The API key of 30 days expires in less than a day", *week]
        assert await self.warned(client, world, state) == both
        clock.advance(timedelta(days=1))
        assert await self.warned(client, world, state) == both

    async def test_key_with_a_lifetime_within_the_notice_is_not_notified(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await self.make(client, world, 1)
        await self.make(client, world, 7)
        assert await self.warned(client, world, state) == []

    async def test_revoked_key_is_not_notified(
        self, client: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        await self.make(client, world, 30)
        (key,) = (await client.get("/api/mlpcore/account/acme/token", headers=world.owner)).json()
        number = key["token"].split(".")[1]
        await client.delete(f"/api/mlpcore/account/acme/token/{number}", headers=world.owner)
        clock.advance(timedelta(days=25))
        assert await self.warned(client, world, state) == []


class TestMailsOfExpiringKeys:
    async def expire(self, client: httpx.AsyncClient, world: World, clock: ManualClock) -> None:
        body = {"name": "ci key", "temporary": True, "maxLifetime": 30, "maxLifetimePeriod": "DAY",
                "notificationEmails": ["a@example.org", "b@example.org"]}  # fmt: skip
        assert (await client.post("/api/mlpcore/account/acme/token", json=body, headers=world.owner)).status_code == 200
        clock.advance(timedelta(days=24))

    async def test_each_address_gets_one_mail_per_notification(
        self, client: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock, post: Post
    ) -> None:
        await self.expire(client, world, clock)
        for _ in range(2):
            await warn_of_expiring_keys(state)
        await state.mails.send(post)
        assert [mail.to for mail in post.sent] == ["a@example.org", "b@example.org"]
        assert "The API key ci key expires on" in post.sent[0].text

    async def test_failed_mail_leaves_the_notification(
        self, client: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock, post: Post
    ) -> None:
        await self.expire(client, world, clock)
        post.away = True
        await warn_of_expiring_keys(state)
        await state.mails.send(post)
        assert len(await listed(client, world.owner)) == 1

    @pytest.mark.parametrize(("language", "subject"), [("RU", "Срок действия"), ("EN", "An API key"), ("XX", "An API")])
    def test_mail_is_in_the_accounts_language(self, language: str, subject: str) -> None:
        mail = expiry_mail("a@example.org", key="{0}", expires=datetime(2026, 12, 1, tzinfo=UTC), language=language)
        assert mail.subject.startswith(subject)
        assert "{0}" in mail.text
        assert "01.12.2026" in mail.text


class TestServers:
    async def test_silent_and_returning_server_is_notified_once_each(
        self, client: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        group = {"name": "mine", "resourceGroupType": "HOSTING_SERVER", "access": "PRIVATE", "isDefault": False,
                 "enabledEviction": False, "enabledAutoScaling": False}  # fmt: skip
        groups = "/api/mlpcore/account/acme/resource-groups"
        assert (await client.post(groups, json=group, headers=world.owner)).status_code == 200
        body = {"serverName": "s1", "rawConfiguration": "provider: hosting_server\n"}
        made = (await client.post(f"{groups}/mine/server", json=body, headers=world.owner)).json()
        enrolled = (
            await client.post("/api/mlpcore/hosting-server/enroll", json={"token": made["enrolmentToken"]})
        ).json()

        async def beat() -> None:
            capacity = {"milli_cpu": 1, "ram_mb": 1, "disk_mb": 1}
            answer = await client.post(
                "/api/mlpcore/server-heartbeat",
                params={"account": world.acme.account_id, "serverId": made["id"]},
                json={"agent_version": "1", "capacity": capacity, "instances": [], "logs": []},
                headers={"Authorization": f"Bearer {enrolled['secret']}"},
            )
            assert answer.status_code == 200, answer.text

        watch = ServerWatch(state)
        await beat()
        await watch.turn()
        for seconds in (40, 30):
            clock.advance(timedelta(seconds=seconds))
            await watch.turn()
            await watch.turn()
        await beat()
        await watch.turn()
        await watch.turn()
        found = await listed(client, world.owner)
        assert [one["type"] for one in found] == ["SERVER_AVAILABLE", "SERVER_UNAVAILABLE"]
        assert found[0]["entity"]["key"] == {
            "accountId": world.acme.account_id, "modelId": None, "instanceId": None,
            "groupOwnerId": world.acme.account_id, "groupName": "mine", "serverId": made["id"],
        }  # fmt: skip


class TestAdministrators:
    async def test_administrators_accounts_are_those_owned_by_users_with_the_permission(
        self, world: World, state: CoreState, told: Told, tell: Teller, identities: Identities
    ) -> None:
        await tell(account_changed(world.acme, version=2, owner_user_id=77))
        await tell(account_changed(world.globex, version=2, owner_user_id=78))
        user = {"user_id": 77, "login": "a@example.org", "internal": False, "active": True}
        await told(UserChanged.model_validate({**user, "version": 2, "permissions": ("accounts_admin_write",)}))
        await told(UserChanged.model_validate({**user, "version": 1, "permissions": ()}))
        async with state.database.transaction() as session:
            assert await StandingRepository(session).accounts_of_administrators() == [world.acme.account_id]
        await told(UserChanged.model_validate({**user, "version": 3, "active": False, "permissions": ()}))
        async with state.database.transaction() as session:
            assert await StandingRepository(session).accounts_of_administrators() == []


class TestDeletion:
    async def test_old_notifications_and_all_but_the_newest_are_deleted(
        self, client: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        await tell(state, world.acme.account_id, text="old")
        clock.advance(KEPT_FOR + timedelta(days=1))
        for text in ("a", "b", "c"):
            await tell(state, world.acme.account_id, world.globex.account_id, text=text)
        assert await forget_old_notifications(state) == 1
        async with state.database.transaction() as session:
            assert await NotificationRepository(session).forget(before=clock.now() - KEPT_FOR, kept=2) == 2
        assert [one["textMessage"] for one in await listed(client, world.owner)] == ["c", "b"]

    async def test_account_is_notified_once_per_occasion(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        for _ in range(2):
            await tell(state, world.acme.account_id, occasion="once")
        assert len(await listed(client, world.owner)) == 1
