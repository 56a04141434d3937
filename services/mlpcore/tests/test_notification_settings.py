"""What members see and get by mail: their own choice in each account."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from mlpcore import registry
from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.notifications.events import event_of
from mlpcore.features.notifications.mailing import BETWEEN, MOST, NotificationMail
from mlpcore.features.notifications.schemas import NotificationEvent, NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification
from mlpcore.operations import Entity, EntityName, OperationType
from mlpcore.state import CoreState
from mlplace_contracts.events import MembershipChanged, UserChanged
from mlplace_contracts.internal.people import PersonAnswer
from mlplace_kit.clock import ManualClock
from mlplace_kit.errors import Unavailable
from mlplace_testing.identities import Identities
from mlplace_testing.post import Post
from mlplace_testing.world import World

URL = "/api/mlpcore/account/acme/notification"
SETTINGS = f"{URL}/settings"
LONG = timedelta(minutes=1)
OWNER = 1


class Somebody:
    """Who is behind each user; None: accountsadmin is away."""

    def __init__(self, confirmed: bool | None) -> None:
        self._confirmed = confirmed

    async def person(self, *, user_id: int) -> PersonAnswer:
        if self._confirmed is None:
            raise Unavailable
        return PersonAnswer(person=f"person {user_id}", confirmed=self._confirmed)


@pytest.fixture
def post() -> Post:
    return Post()


@pytest.fixture
def mailing(app: FastAPI, state: CoreState, post: Post) -> CoreState:
    """The state of an installation that sends mails, where every address is confirmed."""
    state = replace(state, mailer=post, people=Somebody(confirmed=True))
    app.state.service = state
    return state


def setting(event: str, *, shown: bool = True, mailed: bool = False) -> dict[str, object]:
    return {"event": event, "shown": shown, "mailed": mailed}


async def choose(client: httpx.AsyncClient, headers: dict[str, str], *events: object) -> dict[str, Any]:
    answer = await client.put(SETTINGS, json={"events": events}, headers=headers)
    assert answer.status_code == 200, answer.text
    chosen: dict[str, Any] = answer.json()
    return chosen


async def fail(
    state: CoreState, account_id: int, text: str = "Instance 7: out of memory", key: str | None = None
) -> None:
    """An instance of the account fails."""
    entity = Entity(EntityName.INSTANCE, account_id, "#7", model_id=1, instance_id=7)
    kind = NotificationType.MODEL_EVENTS_ERROR_INDICATOR
    async with state.database.transaction() as session:
        notification = NewNotification(kind, Severity.ERROR, text, entity=entity, occasion=key)
        await notifier_of(session, state.clock).notify([account_id], notification)


async def join(
    state: CoreState, account_id: int, user_id: int = OWNER, *, version: int = 1, roles: tuple[str, ...] = ("OWNER",)
) -> None:
    event = MembershipChanged(version=version, account_id=account_id, user_id=user_id, roles=roles, login="a@b.example")
    await _tell(state, event)


async def _tell(state: CoreState, event: MembershipChanged | UserChanged) -> None:
    consumer = next(made for make in registry.CONSUMERS if (made := make(state)).name == "mlpcore.notifications")
    async with state.database.transaction() as session:
        await consumer.handle(session, [event])


async def texts(client: httpx.AsyncClient, headers: dict[str, str]) -> list[str]:
    answer = await client.get(URL, headers=headers)
    return [str(row["textMessage"]) for row in answer.raise_for_status().json()]


async def turn(state: CoreState, post: Post) -> None:
    await NotificationMail(state).turn()
    await state.mails.send(post)


class TestSettings:
    async def test_at_first_everything_is_shown_and_nothing_is_mailed(
        self, client: httpx.AsyncClient, world: World, mailing: CoreState
    ) -> None:
        answer = (await client.get(SETTINGS, headers=world.owner)).raise_for_status().json()
        assert answer["events"] == [setting(event.value) for event in NotificationEvent]
        assert "@" in answer["address"]
        assert answer["mailRefusal"] is None

    async def test_events_that_are_not_named_stay(
        self, client: httpx.AsyncClient, world: World, mailing: CoreState
    ) -> None:
        await choose(client, world.owner, setting("SERVICE_ERRORS", mailed=True))
        chosen = await choose(client, world.owner, setting("ACCOUNT", shown=False))
        assert chosen == (await client.get(SETTINGS, headers=world.owner)).json()
        named = {row["event"]: row for row in chosen["events"]}
        assert named["SERVICE_ERRORS"] == setting("SERVICE_ERRORS", mailed=True)
        assert named["ACCOUNT"] == setting("ACCOUNT", shown=False)
        assert named["SERVER_ERRORS"] == setting("SERVER_ERRORS")

    async def test_hidden_event_is_hidden_from_this_member_alone(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await fail(state, world.acme.account_id)
        await choose(client, world.owner, setting("SERVICE_ERRORS", shown=False))
        assert await texts(client, world.owner) == []
        assert await texts(client, world.user) == ["Instance 7: out of memory"]
        await choose(client, world.owner, setting("SERVICE_ERRORS"))
        assert await texts(client, world.owner) == ["Instance 7: out of memory"]

    async def test_what_belongs_to_no_event_is_always_shown(self, client: httpx.AsyncClient, world: World) -> None:
        await choose(client, world.owner, *(setting(event.value, shown=False) for event in NotificationEvent))
        await client.post("/api/mlpcore/notification/broadcast", json={"textMessage": "soon"}, headers=world.admin)
        assert await texts(client, world.owner) == ["soon"]

    async def test_notification_of_the_previous_release_is_shown(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await choose(client, world.owner, *(setting(event.value, shown=False) for event in NotificationEvent))
        await fail(state, world.acme.account_id)
        async with state.database.transaction() as session:
            await session.execute(sa.text("UPDATE notification SET event = NULL"))
        assert await texts(client, world.owner) == ["Instance 7: out of memory"]

    @pytest.mark.parametrize(
        ("events", "field"),
        [
            ([setting("ACCOUNT"), setting("ACCOUNT", shown=False)], "events.1.event"),
            ([setting("WEATHER")], "events.0.event"),
            ([{"event": "ACCOUNT", "shown": True}], "events.0.mailed"),
            ([setting("ACCOUNT")] * 7, "events"),
        ],
    )
    async def test_invalid_choice_is_refused_by_its_field_and_changes_nothing(
        self, client: httpx.AsyncClient, world: World, events: object, field: str
    ) -> None:
        answer = await client.put(SETTINGS, json={"events": events}, headers=world.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field])
        stored = (await client.get(SETTINGS, headers=world.owner)).json()["events"]
        assert stored == [setting(event.value) for event in NotificationEvent]

    async def test_a_key_has_no_settings_and_sees_everything(
        self, client: httpx.AsyncClient, world: World, state: CoreState, identities: Identities
    ) -> None:
        key = identities.api_key(world.acme)
        await choose(client, world.owner, setting("SERVICE_ERRORS", shown=False))
        await fail(state, world.acme.account_id)
        assert (await client.get(SETTINGS, headers=key)).status_code == 403
        assert (await client.put(SETTINGS, json={"events": []}, headers=key)).status_code == 403
        assert await texts(client, key) == ["Instance 7: out of memory"]


class TestMailRefusal:
    @pytest.mark.parametrize(("confirmed", "why"), [(False, "UNCONFIRMED"), (True, None)])
    async def test_mail_goes_to_confirmed_addresses_alone(
        self,
        client: httpx.AsyncClient,
        world: World,
        app: FastAPI,
        mailing: CoreState,
        confirmed: bool,
        why: str | None,
    ) -> None:
        app.state.service = replace(mailing, people=Somebody(confirmed))
        assert (await client.get(SETTINGS, headers=world.owner)).json()["mailRefusal"] == why
        body = {"events": [setting("ACCOUNT", mailed=True)]}
        answer = await client.put(SETTINGS, json=body, headers=world.owner)
        assert answer.status_code == (200 if why is None else 409)
        if why is not None:
            assert (answer.json()["code"], answer.json()["args"]) == (
                "mlp.core.notification_mail_refused",
                {"why": why},
            )

    async def test_installation_without_mail_says_so_and_can_still_hide(
        self, client: httpx.AsyncClient, world: World, app: FastAPI, state: CoreState
    ) -> None:
        app.state.service = replace(state, mailer=None)
        chosen = await choose(client, world.owner, setting("ACCOUNT", shown=False))
        assert chosen["mailRefusal"] == "MAIL_OFF"
        refused = await client.put(SETTINGS, json={"events": [setting("ACCOUNT", mailed=True)]}, headers=world.owner)
        assert (refused.status_code, refused.json()["args"]) == (409, {"why": "MAIL_OFF"})


class TestMail:
    async def test_what_happened_since_the_choice_is_one_mail(
        self, client: httpx.AsyncClient, world: World, mailing: CoreState, clock: ManualClock, post: Post
    ) -> None:
        account_id = world.acme.account_id
        await join(mailing, account_id)
        await fail(mailing, account_id, "before")
        chosen = await choose(client, world.owner, setting("SERVICE_ERRORS", mailed=True))
        await fail(mailing, account_id, "Instance 7:\nout of memory")
        await fail(mailing, account_id, "Instance 8: killed")
        await turn(mailing, post)
        assert post.sent == [], "younger than half a minute: an earlier one may still be about to commit"
        clock.advance(LONG)
        await turn(mailing, post)
        (mail,) = post.sent
        assert mail.to == chosen["address"]
        assert "acme" in mail.text
        assert "Instance 7: out of memory\n" in mail.text
        assert "Instance 8: killed\n" in mail.text
        assert "before" not in mail.text
        assert "memory" not in mail.subject

    async def test_the_next_mail_waits_ten_minutes_and_has_the_rest(
        self, client: httpx.AsyncClient, world: World, mailing: CoreState, clock: ManualClock, post: Post
    ) -> None:
        account_id = world.acme.account_id
        await join(mailing, account_id)
        await choose(client, world.owner, setting("SERVICE_ERRORS", mailed=True))
        for number in range(MOST + 1):
            await fail(mailing, account_id, f"failure {number}.")
        clock.advance(LONG)
        await turn(mailing, post)
        await turn(mailing, post)
        assert len(post.sent) == 1
        clock.advance(BETWEEN)
        await turn(mailing, post)
        assert [f"failure {MOST}." in mail.text for mail in post.sent] == [False, True]
        clock.advance(BETWEEN)
        await turn(mailing, post)
        assert len(post.sent) == 2

    async def test_other_events_and_other_accounts_are_not_mailed(
        self, client: httpx.AsyncClient, world: World, mailing: CoreState, clock: ManualClock, post: Post
    ) -> None:
        await join(mailing, world.acme.account_id)
        await choose(client, world.owner, setting("SERVER_ERRORS", mailed=True))
        await fail(mailing, world.acme.account_id)
        await choose(client, world.owner, setting("SERVICE_ERRORS", mailed=True))
        await fail(mailing, world.globex.account_id)
        clock.advance(LONG)
        await turn(mailing, post)
        assert [mail for mail in post.sent if "Instance" in mail.text and "globex" in mail.text] == []

    async def test_former_members_and_users_who_may_not_sign_in_get_none(
        self, client: httpx.AsyncClient, world: World, mailing: CoreState, clock: ManualClock, post: Post
    ) -> None:
        account_id = world.acme.account_id
        await choose(client, world.owner, setting("SERVICE_ERRORS", mailed=True))
        await fail(mailing, account_id)
        clock.advance(LONG)
        await turn(mailing, post)
        assert post.sent == [], "nobody has told that the user is a member"
        await join(mailing, account_id)
        await join(mailing, account_id, version=2, roles=())
        await turn(mailing, post)
        assert post.sent == []
        await join(mailing, account_id, version=3)
        closed = UserChanged(
            version=9, user_id=OWNER, login="a@b.example", permissions=(), internal=False, active=False
        )
        await _tell(mailing, closed)
        await turn(mailing, post)
        assert post.sent == []

    async def test_mail_follows_the_login(
        self, client: httpx.AsyncClient, world: World, mailing: CoreState, clock: ManualClock, post: Post
    ) -> None:
        await join(mailing, world.acme.account_id)
        await choose(client, world.owner, setting("SERVICE_ERRORS", mailed=True))
        moved = UserChanged(
            version=9, user_id=OWNER, login="new@b.example", permissions=(), internal=False, active=True
        )
        await _tell(mailing, moved)
        await fail(mailing, world.acme.account_id)
        clock.advance(LONG)
        await turn(mailing, post)
        assert [mail.to for mail in post.sent] == ["new@b.example"]

    @pytest.mark.parametrize("confirmed", [False, None])
    async def test_a_mail_that_cannot_be_sent_now_waits(
        self,
        client: httpx.AsyncClient,
        world: World,
        mailing: CoreState,
        clock: ManualClock,
        post: Post,
        confirmed: bool | None,
    ) -> None:
        await join(mailing, world.acme.account_id)
        await choose(client, world.owner, setting("SERVICE_ERRORS", mailed=True))
        await fail(mailing, world.acme.account_id)
        clock.advance(LONG)
        await turn(replace(mailing, people=Somebody(confirmed)), post)
        await turn(mailing, post)
        assert post.sent == []
        clock.advance(BETWEEN)
        await turn(mailing, post)
        assert len(post.sent) == 1


class TestEvents:
    @pytest.mark.parametrize(
        ("kind", "operation", "entity", "event"),
        [
            (NotificationType.PIPELINE_OPERATION, OperationType.RUN, EntityName.MODEL, "INSTANCE_START_AND_STOP"),
            (NotificationType.PIPELINE_OPERATION, OperationType.REMOVE, EntityName.INSTANCE, "INSTANCE_START_AND_STOP"),
            (NotificationType.PIPELINE_OPERATION, OperationType.EVICT, EntityName.INSTANCE, "INSTANCE_EVICTION"),
            (NotificationType.PIPELINE_OPERATION, OperationType.EVICT, EntityName.ACCOUNT, "ACCOUNT"),
            (NotificationType.PIPELINE_OPERATION, OperationType.RELOAD, EntityName.MODEL, "SERVICE_RESTART"),
            (NotificationType.PIPELINE_OPERATION, OperationType.RELOAD, EntityName.ACCOUNT, "SERVICE_RESTART"),
            (NotificationType.PIPELINE_OPERATION, OperationType.BLOCK, EntityName.ACCOUNT, "ACCOUNT"),
            (NotificationType.PIPELINE_OPERATION, OperationType.CREATE, EntityName.MODEL, None),
            (NotificationType.SERVER_UNAVAILABLE, None, EntityName.RESOURCE_GROUP_SERVER, "SERVER_ERRORS"),
            (NotificationType.NONE, None, EntityName.ACCOUNT, "ACCOUNT"),
            (NotificationType.BROADCAST, None, None, None),
            (NotificationType.LICENSE_NOT_VALID, None, EntityName.ACCOUNT, None),
        ],
    )
    def test_notification_belongs_to_an_event(
        self, kind: NotificationType, operation: OperationType | None, entity: EntityName | None, event: str | None
    ) -> None:
        assert event_of(kind, operation, entity) == event
