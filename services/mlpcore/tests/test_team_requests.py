from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest

from mlpcore.features.team_requests.mailing import ATTEMPTS, TeamMail
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_runtime.mail import Mail, MailNotSentError
from mlplace_testing.post import Post
from mlplace_testing.world import World

CONTACT = "/api/mlpcore/sendContactRequest"
MANAGEMENT = "/api/mlpcore/account/acme/management"
LIST = "/api/mlpcore/admin/team-requests"


@pytest.fixture
def state(state: CoreState, database: Database, post: Post) -> CoreState:
    settings = MlpcoreSettings(database_url=database.url, team_mail="team@example.org")
    return replace(state, settings=settings, mailer=post)


async def stored(client: httpx.AsyncClient, world: World, **query: object) -> dict[str, Any]:
    answer = await client.get(LIST, headers=world.admin, params={k: str(v) for k, v in query.items()})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


class TestContact:
    async def test_request_of_a_visitor_is_stored_and_mailed(
        self, client: httpx.AsyncClient, world: World, state: CoreState, post: Post
    ) -> None:
        body = {"contacts": '{"name":"Ann","contacts":"ann@example.org"}', "comment": "How?\nSubject: x"}
        answer = await client.post(CONTACT, json={**body, "kind": "demo"})
        assert (answer.status_code, answer.content) == (200, b"")
        (kept,) = (await stored(client, world))["records"]
        assert {**body, "kind": "demo", "accountId": None, "mailState": "WAITING"}.items() <= kept.items()
        await TeamMail(state).turn()
        (mail,) = post.sent
        assert (mail.to, mail.subject) == ("team@example.org", f"MLPlace: request {kept['id']} (demo)")
        assert "ann@example.org" in mail.text
        page = f"http://localhost:8080/superadmin/requests?request={kept['id']}"
        assert mail.text.splitlines()[:2] == ["Request: demo", f"Answer it: {page}"]
        await TeamMail(state).turn()
        assert len(post.sent) == 1
        assert (await stored(client, world))["records"][0]["mailState"] == "SENT"

    @pytest.mark.parametrize(
        "body",
        [{}, {"contacts": ""}, {"contacts": "  "}, {"contacts": "x" * 1001}, {"contacts": "x", "comment": "x" * 5001},
         {"contacts": "a\0b"}, {"contacts": "x", "kind": "other"}],
    )  # fmt: skip
    async def test_invalid_request_is_refused(self, client: httpx.AsyncClient, world: World, body: object) -> None:
        assert (await client.post(CONTACT, json=body)).status_code == 400

    async def test_requests_are_limited_per_address(
        self, client: httpx.AsyncClient, world: World, clock: ManualClock
    ) -> None:
        for _ in range(10):
            assert (await client.post(CONTACT, json={"contacts": "a"})).status_code == 200
        refused = await client.post(CONTACT, json={"contacts": "a"})
        assert (refused.status_code, refused.json()["code"]) == (429, "mlp.core.too_many_team_requests")
        assert refused.headers["retry-after"] == "3600"
        clock.advance(timedelta(hours=1, seconds=1))
        assert (await client.post(CONTACT, json={"contacts": "a"})).status_code == 200


class TestManagement:
    async def test_request_names_the_caller(self, client: httpx.AsyncClient, world: World) -> None:
        answer = await client.post(f"{MANAGEMENT}/public_model_admin", json={"contacts": "me"}, headers=world.owner)
        assert answer.status_code == 200
        (kept,) = (await stored(client, world))["records"]
        assert (kept["kind"], kept["accountId"]) == ("public_model_admin", world.acme.account_id)
        assert kept["login"].endswith("@example.org")

    async def test_only_members_may_send_requests(self, client: httpx.AsyncClient, world: World) -> None:
        url = f"{MANAGEMENT}/model_admin"
        assert (await client.post(url, json={"contacts": "me"})).status_code == 401
        assert (await client.post(url, json={"contacts": "me"}, headers=world.stranger)).status_code == 403

    @pytest.mark.parametrize("name", ["x" * 65, "a%0ab", "-a", "a%20b"])
    async def test_invalid_feature_name_is_refused(self, client: httpx.AsyncClient, world: World, name: str) -> None:
        assert (
            await client.post(f"{MANAGEMENT}/{name}", json={"contacts": "me"}, headers=world.owner)
        ).status_code == 400


class TestList:
    async def test_superadmin_reads_pages_of_requests(self, client: httpx.AsyncClient, world: World) -> None:
        for number in range(3):
            await client.post(CONTACT, json={"contacts": f"c{number}"})
        page = await stored(client, world, size=2)
        assert [record["contacts"] for record in page["records"]] == ["c2", "c1"]
        assert page["paging"] == {"totalElements": 3, "totalPages": 2, "pageNumber": 0, "pageSize": 2}
        assert [r["contacts"] for r in (await stored(client, world, sort="id,asc"))["records"]] == ["c0", "c1", "c2"]
        assert (await client.get(LIST, headers=world.admin, params={"sort": "kind"})).status_code == 400
        assert (await client.get(LIST, headers=world.owner)).status_code == 403
        assert (await client.get(LIST)).status_code == 401


class TestUpdate:
    async def asked(self, client: httpx.AsyncClient, world: World) -> str:
        await client.post(f"{MANAGEMENT}/model_admin", json={"contacts": "me"}, headers=world.owner)
        (kept,) = (await stored(client, world))["records"]
        assert (kept["state"], kept["answer"], kept["answeredAt"]) == ("OPEN", None, None)
        return f"{LIST}/{kept['id']}"

    async def test_answer_closes_the_request_and_notifies_the_account(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        url = await self.asked(client, world)
        answer = await client.put(url, json={"state": "CLOSED", "answer": "You have it now."}, headers=world.admin)
        assert answer.status_code == 200, answer.text
        assert {"state": "CLOSED", "answer": "You have it now."}.items() <= answer.json().items()
        assert answer.json()["answeredBy"]
        assert (await stored(client, world, state="OPEN"))["records"] == []
        assert len((await stored(client, world, state="CLOSED"))["records"]) == 1
        told = (await client.get("/api/mlpcore/account/acme/notification", headers=world.owner)).json()
        assert [(one["textKey"], one["textArgs"]["answer"]) for one in told] == [
            ("REQUEST_ANSWERED", "You have it now.")
        ]

    async def test_the_user_who_asked_gets_the_answer_by_mail(
        self, client: httpx.AsyncClient, world: World, state: CoreState, post: Post
    ) -> None:
        url = await self.asked(client, world)
        await client.put(url, json={"state": "CLOSED", "answer": "Not {now}."}, headers=world.admin)
        await client.put(url, json={"state": "CLOSED", "answer": "Not {now}."}, headers=world.admin)
        await state.mails.send(post)
        (mail,) = post.sent
        assert mail.to == (await stored(client, world))["records"][0]["login"]
        assert mail.text.endswith("\n\nNot {now}.\n")

    async def test_a_request_without_an_answer_is_not_closed(self, client: httpx.AsyncClient, world: World) -> None:
        url = await self.asked(client, world)
        refused = await client.put(url, json={"state": "CLOSED"}, headers=world.admin)
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["answer"])
        assert (await stored(client, world))["records"][0]["state"] == "OPEN"

    async def test_reopening_keeps_the_answer_and_notifies_nobody_again(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        url = await self.asked(client, world)
        await client.put(url, json={"state": "CLOSED", "answer": "no"}, headers=world.admin)
        again = await client.put(url, json={"state": "OPEN"}, headers=world.admin)
        assert (again.json()["state"], again.json()["answer"]) == ("OPEN", "no")
        told = (await client.get("/api/mlpcore/account/acme/notification", headers=world.owner)).json()
        assert len(told) == 1

    async def test_answer_to_a_visitor_is_only_stored(
        self, client: httpx.AsyncClient, world: World, state: CoreState, post: Post
    ) -> None:
        await client.post(CONTACT, json={"contacts": "a"})
        (kept,) = (await stored(client, world))["records"]
        answer = await client.put(
            f"{LIST}/{kept['id']}", json={"state": "CLOSED", "answer": "called"}, headers=world.admin
        )
        assert (answer.status_code, answer.json()["answer"]) == (200, "called")
        await state.mails.send(post)
        assert post.sent == []

    async def test_only_superadmins_answer(self, client: httpx.AsyncClient, world: World) -> None:
        url = await self.asked(client, world)
        assert (await client.put(url, json={"state": "CLOSED"})).status_code == 401
        assert (await client.put(url, json={"state": "CLOSED"}, headers=world.owner)).status_code == 403

    @pytest.mark.parametrize("body", [{}, {"state": "DONE"}, {"state": "OPEN", "answer": ""}])
    async def test_invalid_answer_is_refused(self, client: httpx.AsyncClient, world: World, body: object) -> None:
        url = await self.asked(client, world)
        assert (await client.put(url, json=body, headers=world.admin)).status_code == 400

    async def test_one_request_is_read_like_in_the_list(self, client: httpx.AsyncClient, world: World) -> None:
        url = await self.asked(client, world)
        answer = await client.get(url, headers=world.admin)
        assert answer.status_code == 200
        assert [answer.json()] == (await stored(client, world))["records"]
        for headers, status in ((world.owner, 403), ({}, 401)):
            assert (await client.get(url, headers=headers)).status_code == status

    async def test_missing_request_is_not_found(self, client: httpx.AsyncClient, world: World) -> None:
        answer = await client.put(f"{LIST}/999999", json={"state": "CLOSED"}, headers=world.admin)
        assert answer.status_code == 404
        answer = await client.get(f"{LIST}/999999", headers=world.admin)
        assert answer.json()["code"] == "mlp.core.not_found"


class TestMail:
    async def test_failed_mail_is_retried_and_finally_given_up(
        self, client: httpx.AsyncClient, world: World, state: CoreState, post: Post, clock: ManualClock
    ) -> None:
        await client.post(CONTACT, json={"contacts": "a"})
        post.away = True
        await TeamMail(state).turn()
        assert (await stored(client, world))["records"][0]["mailState"] == "WAITING"
        for _ in range(ATTEMPTS):
            clock.advance(timedelta(hours=7))
            await TeamMail(state).turn()
        assert (await stored(client, world))["records"][0]["mailState"] == "FAILED"

    async def test_mail_is_sent_when_the_server_is_back(
        self, client: httpx.AsyncClient, world: World, state: CoreState, post: Post, clock: ManualClock
    ) -> None:
        await client.post(CONTACT, json={"contacts": "a"})
        post.away = True
        await TeamMail(state).turn()
        post.away = False
        clock.advance(timedelta(hours=1))
        await TeamMail(state).turn()
        assert len(post.sent) == 1

    async def test_result_of_a_lost_claim_is_not_stored(
        self, client: httpx.AsyncClient, world: World, state: CoreState, post: Post, clock: ManualClock
    ) -> None:
        class Slow(Post):
            async def send(self, mail: Mail) -> None:
                clock.advance(timedelta(minutes=3))
                await TeamMail(replace(state, mailer=post)).turn()
                raise MailNotSentError("too slow")

        await client.post(CONTACT, json={"contacts": "a"})
        await TeamMail(replace(state, mailer=Slow())).turn()
        assert len(post.sent) == 1
        assert (await stored(client, world))["records"][0]["mailState"] == "SENT"

    async def test_request_without_a_mailer_is_stored_only(
        self, client: httpx.AsyncClient, world: World, state: CoreState, app: Any
    ) -> None:
        app.state.service = replace(state, mailer=None)
        await client.post(CONTACT, json={"contacts": "a"})
        assert (await stored(client, world))["records"][0]["mailState"] == "OFF"
