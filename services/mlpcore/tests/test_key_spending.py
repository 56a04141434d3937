"""Gates report the spending of keys; the account and the addresses that the key names are notified once."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore import registry
from mlpcore.features.api_keys.mails import spending_mail
from mlpcore.state import CoreState
from mlplace_contracts.events import ApiKeyChanged, KeySpendingNoticed
from mlplace_contracts.limits import SpendingRule
from mlplace_kit.clock import ManualClock
from mlplace_runtime.mail import Mail
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.events import published
from mlplace_testing.post import Post
from mlplace_testing.waiting import eventually
from mlplace_testing.world import World

KEYS = "/api/mlpcore/account/acme/token"
LIMITED = {
    "name": "ci key",
    "expenseLimit": 100,
    "spendingLimits": [{"amount": 1500.5, "currency": "RUBLE", "period": "DAY", "availableImmediately": True}],
    "notificationEmails": ["a@example.org", "b@example.org"],
}
Noticed = Callable[..., Awaitable[None]]


@pytest.fixture
async def key(client: httpx.AsyncClient, world: World, state: CoreState) -> ApiKeyChanged:
    assert (await client.post(KEYS, json=LIMITED, headers=world.owner)).status_code == 200
    return (await published(state.database, ApiKeyChanged))[-1]


@pytest.fixture
def noticed(state: CoreState, key: ApiKeyChanged, clock: ManualClock, post: Post) -> Noticed:
    """Passes an event to the consumer in a transaction, as the consumer's loop does, and sends the mails."""
    assert key.limits is not None
    (daily, total) = key.limits.spending
    clock.advance(timedelta(days=1) - timedelta(seconds=clock.now().timestamp() % 86_400))  # the start of a day

    async def run(rule: SpendingRule | str = "DAY", *, exhausted: bool = False, **about: object) -> None:
        rules = {"DAY": daily, "TOTAL": total}
        values: dict[str, object] = {
            "account_id": key.account_id,
            "key_id": key.key_id,
            "rule": rules[rule] if isinstance(rule, str) else rule,
            "exhausted": exhausted,
            "occurred_at": clock.now(),
            **about,
        }
        consumers = [make(state) for make in registry.CONSUMERS]
        consumer = next(consumer for consumer in consumers if consumer.name == "mlpcore.key-spending")
        async with state.database.transaction() as session:
            await consumer.handle(session, [KeySpendingNoticed.model_validate(values)])
        await state.mails.send(post)

    return run


async def told(client: httpx.AsyncClient, world: World) -> list[dict[str, Any]]:
    return (await client.get("/api/mlpcore/account/acme/notification", headers=world.owner)).json()


class TestAccount:
    async def test_account_is_notified_of_a_nearly_and_a_fully_used_limit(
        self, client: httpx.AsyncClient, world: World, noticed: Noticed
    ) -> None:
        await noticed()
        await noticed(exhausted=True)
        reached, near = await told(client, world)
        assert (near["severity"], near["textKey"]) == ("WARNING", "KEY_SPENDING_NEAR")
        assert near["textArgs"] == {"key": "ci key", "amount": "1500.5", "currency": "RUBLE"}
        assert near["textMessage"] == "The API key ci key has used most of its spending limit (1500.5 RUBLE)"
        assert (reached["severity"], reached["textKey"]) == ("ERROR", "KEY_SPENDING_REACHED")

    async def test_account_is_notified_once_a_day(
        self, client: httpx.AsyncClient, world: World, noticed: Noticed, clock: ManualClock
    ) -> None:
        for _ in range(3):
            await noticed()
            clock.advance(timedelta(minutes=10))
        assert len(await told(client, world)) == 1
        clock.advance(timedelta(days=1))
        await noticed()
        assert len(await told(client, world)) == 2

    async def test_account_is_notified_once_of_a_total_limit(
        self, client: httpx.AsyncClient, world: World, noticed: Noticed, clock: ManualClock
    ) -> None:
        await noticed("TOTAL")
        clock.advance(timedelta(days=50))
        await noticed("TOTAL")
        (one,) = await told(client, world)
        assert one["textArgs"] == {"key": "ci key", "amount": "100"}

    async def test_event_of_a_replaced_limit_is_ignored(
        self, client: httpx.AsyncClient, world: World, noticed: Noticed, key: ApiKeyChanged
    ) -> None:
        raised = {**LIMITED, "expenseLimit": 200}
        assert (await client.put(f"{KEYS}/{key.key_id}", json=raised, headers=world.owner)).status_code == 200
        await noticed("TOTAL")
        assert await told(client, world) == [], "the gate spoke of the old limit"
        assert key.limits is not None
        await noticed(key.limits.spending[1].model_copy(update={"amount_nano": 200 * 10**9}))
        assert len(await told(client, world)) == 1

    async def test_event_of_a_revoked_or_unknown_key_is_ignored(
        self, client: httpx.AsyncClient, world: World, noticed: Noticed, key: ApiKeyChanged
    ) -> None:
        await noticed(account_id=key.account_id + 1)
        await client.delete(f"{KEYS}/{key.key_id}", headers=world.owner)
        await noticed()
        assert await told(client, world) == []


class TestMails:
    async def test_each_address_gets_one_mail_per_notification(self, noticed: Noticed, post: Post) -> None:
        for exhausted in (False, True, False, True):
            await noticed(exhausted=exhausted)
        assert [mail.to for mail in post.sent] == ["a@example.org", "b@example.org"] * 2
        near, spent = post.sent[0], post.sent[2]
        assert "1500.5 roubles a day" in near.text.replace("\n", " ")
        assert (near.subject, spent.subject) == (
            "An API key has used most of its spending limit",
            "A spending limit of an API key does not cover a call",
        )

    async def test_failed_mail_affects_neither_the_notification_nor_later_mails(
        self, client: httpx.AsyncClient, world: World, noticed: Noticed, post: Post
    ) -> None:
        post.away = True
        await noticed()
        assert len(await told(client, world)) == 1
        post.away = False
        await noticed(exhausted=True)
        assert len(post.sent) == 2

    async def test_mail_of_a_rolled_back_transaction_is_not_sent(self, state: CoreState, post: Post) -> None:
        async with state.database.transaction() as session:
            state.mails.after_commit(session, [Mail("a@example.org", "s", "t")])
            await session.rollback()
        await state.mails.send(post)
        assert post.sent == []

    async def test_loop_sends_mails_and_discards_them_without_a_mailer(self, state: CoreState, post: Post) -> None:
        async def committed(mailer: Post | None) -> None:
            async with running("test", [Loop("mails", lambda: state.mails.run(mailer))]):
                async with state.database.transaction() as session:
                    state.mails.after_commit(session, [Mail("a@example.org", "s", "t")])
                    await session.execute(sa.text("SELECT 1"))
                await eventually(nothing_waits)

        async def nothing_waits() -> bool:
            return not state.mails._waiting and not state.mails._something.is_set()

        await committed(None)
        await committed(post)
        assert [mail.to for mail in post.sent] == ["a@example.org"]

    @pytest.mark.parametrize("exhausted", [False, True])
    @pytest.mark.parametrize(
        ("language", "limit"),
        [("EN", "1500.5 roubles a day"), ("RU", "1500.5 руб. в день"), ("XX", "1500.5 roubles a day")],
    )
    def test_mail_is_in_the_accounts_language(
        self, key: ApiKeyChanged, clock: ManualClock, language: str, limit: str, *, exhausted: bool
    ) -> None:
        assert key.limits is not None
        event = KeySpendingNoticed(
            account_id=1, key_id=2, rule=key.limits.spending[0], exhausted=exhausted, occurred_at=clock.now()
        )
        mail = spending_mail("a@example.org", key="{0}\nX", event=event, language=language)
        text = mail.text.replace("\n", " ")
        assert limit in text
        assert "{0} X" in text
