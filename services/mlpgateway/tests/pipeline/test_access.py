"""Who may call what: the stages authenticate and authorise, seen by callers."""

import asyncio
from datetime import timedelta

import pytest

from mlplace_contracts.enums import Feature, KeyPermission
from mlplace_contracts.internal.identity import KeyIdentity
from mlplace_kit.clock import ManualClock
from mlplace_testing.waiting import eventually


class TestKeys:
    async def test_live_key_calls_a_public_model_of_another_account(self, world) -> None:
        world.instance()
        answer = await world.predict(world.key(), '{"b": 1.0,  "a": 18446744073709551617}')
        assert (answer.status_code, answer.text) == (200, '{"b": 1.0,  "a": 18446744073709551617}')
        assert answer.headers["content-type"] == "application/json"

    async def test_bearer_token_is_a_key_too(self, world) -> None:
        world.instance()
        key = world.key()["MLP-API-KEY"]
        assert (await world.predict({"Authorization": f"Bearer {key}"})).status_code == 200

    @pytest.mark.parametrize("headers", [{}, {"MLP-API-KEY": "x"}, {"MLP-API-KEY": "1.1." + "a" * 40}])
    async def test_call_without_a_live_key_is_refused(self, world, headers: dict[str, str]) -> None:
        twin = world.instance()
        answer = await world.predict(headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "mlp.gate.unauthorized")
        assert not twin.requests

    async def test_key_expires_by_the_clock(self, world, clock: ManualClock) -> None:
        world.instance()
        headers = world.key(expires_at=clock.now() + timedelta(seconds=5))
        assert (await world.predict(headers)).status_code == 200
        clock.advance(timedelta(seconds=5))
        assert (await world.predict(headers)).status_code == 401

    async def test_key_of_a_closed_account_is_refused(self, world, kit) -> None:
        world.instance()
        headers = world.key()
        world.know(kit.account_changed(kit.DEMO, "demo", version=10**6, active=False))
        assert (await world.predict(headers)).status_code == 401

    async def test_revoked_key_is_refused_after_its_event(self, world) -> None:
        world.instance()
        event, secret = world.key_event()
        await world.publish(event)
        headers = {"MLP-API-KEY": secret}

        async def status() -> int:
            return (await world.predict(headers)).status_code

        await eventually(status, until=lambda code: code == 200)
        await world.publish(event.model_copy(update={"version": 2, "active": False}))
        await eventually(status, until=lambda code: code == 401)
        world.know(event)
        assert await status() == 401, "an older version must not bring it back"

    async def test_new_key_works_before_its_event(self, world, kit) -> None:
        world.instance()
        event, secret = world.key_event()
        world.fresh_keys[secret] = KeyIdentity(
            key_id=event.key_id, account_id=kit.DEMO, account_name="demo", name="k",
            permissions=(KeyPermission.PREDICT,), allowed_models=None, features=(), expires_at=None,
        )  # fmt: skip
        answers = await asyncio.gather(*(world.predict({"MLP-API-KEY": secret}) for _ in range(10)))
        assert [answer.status_code for answer in answers] == [200] * 10
        assert world.resolved == [secret], "ten calls at once ask once"
        world.know(event.model_copy(update={"active": False}))
        assert (await world.predict({"MLP-API-KEY": secret})).status_code == 401

    async def test_unknown_key_is_looked_up_once_in_two_seconds(self, world, clock: ManualClock) -> None:
        _, secret = world.key_event()
        for _ in range(3):
            assert (await world.predict({"MLP-API-KEY": secret})).status_code == 401
        assert world.resolved == [secret]
        clock.advance(timedelta(seconds=3))
        await world.predict({"MLP-API-KEY": secret})
        assert len(world.resolved) == 2

    async def test_key_without_predict_or_for_other_models_is_refused(self, world) -> None:
        world.instance()
        refusals = [
            ({"permissions": ("read", "write")}, "this needs the permission predict"),
            ({"allowed_models": (1, 2)}, "the key is limited to other services"),
        ]
        for about, reason in refusals:
            answer = await world.predict(world.key(**about))
            assert (answer.status_code, answer.json()["code"]) == (403, "mlp.gate.access_denied")
            assert answer.json()["message"] == reason
        assert (await world.predict(world.key(allowed_models=(500,)))).status_code == 200


class TestModels:
    async def test_private_model_of_another_account_looks_missing(self, world, kit) -> None:
        world.know(kit.model_changed(501, "secret", publicity=kit.PRIVATE))
        world.instance(model_id=501)
        key = world.key()
        missing = (await world.predict(key, model="nothing")).json()
        for ref in ("secret", "501"):
            private = (await world.predict(key, model=ref)).json()
            assert {**private, "requestId": ""} == {**missing, "requestId": ""}
        assert missing["code"] == "mlp.gate.model_not_found"
        assert (await world.predict(world.key(kit.ACME), model="secret")).status_code == 200

    async def test_allowed_account_may_call_a_private_model(self, world, kit) -> None:
        shared = kit.PRIVATE.model_copy(update={"allowed_accounts": (kit.DEMO,)})
        world.know(kit.model_changed(501, "shared", publicity=shared))
        world.instance(model_id=501)
        assert (await world.predict(world.key(), model="shared")).status_code == 200
        assert (await world.predict(world.key(kit.OTHER), model="shared")).status_code == 404

    async def test_ids_and_names_lead_to_the_same_model(self, world, kit) -> None:
        world.instance()
        key = world.key()
        for path in (f"/p/{kit.ACME}/500", "/p/acme/ner", f"/api/mlpgateway/account/{kit.ACME}/model/ner/predict"):
            assert (await world.client.post(path, content="{}", headers=key)).status_code == 200
        for path in (f"/p/{kit.DEMO}/500", "/p/demo/ner", "/p/99999999999999999999/500", "/p/nobody/ner"):
            assert (await world.client.post(path, content="{}", headers=key)).status_code == 404

    async def test_deleted_model_is_missing_and_renamed_model_has_only_its_new_name(self, world, kit) -> None:
        world.instance()
        key = world.key()
        world.know(kit.model_changed(name="ner2"))
        assert (await world.predict(key)).status_code == 404
        assert (await world.predict(key, model="ner2")).status_code == 200
        world.know(kit.model_changed(name="ner2", active=False), kit.model_changed(name="ner2", version=1))
        assert (await world.predict(key, model="ner2")).status_code == 404

    async def test_prototype_is_refused(self, world, kit) -> None:
        world.know(kit.model_changed(502, "proto", prototype=True))
        answer = await world.predict(world.key(), model="proto")
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.gate.prototype_not_callable")


class TestSessions:
    async def test_person_calls_the_models_of_the_selected_account(self, world, kit) -> None:
        world.instance()
        headers = world.people.user(world.people.account(kit.ACME, "acme"))
        assert (await world.predict(headers)).status_code == 200

    async def test_person_tests_models_of_others_only_where_the_owner_allows_it(self, world, kit) -> None:
        world.instance()
        headers = world.people.user(world.people.account(kit.DEMO, "demo"))
        refused = await world.predict(headers)
        assert (refused.status_code, refused.json()["code"]) == (403, "mlp.gate.testing_not_allowed")
        world.know(kit.model_changed(publicity=kit.PUBLIC.model_copy(update={"public_testing_allowed": True})))
        assert (await world.predict(headers)).status_code == 200

    async def test_feature_is_needed_if_the_installation_requires_it(self, open_world, kit) -> None:
        async with open_world(test_form_feature_required=True) as world:
            world.instance()
            world.know(kit.model_changed(publicity=kit.PUBLIC.model_copy(update={"public_testing_allowed": True})))
            headers = world.people.user(world.people.account(kit.DEMO, "demo"))
            assert (await world.predict(headers)).status_code == 403
            world.know(kit.limits_changed(kit.DEMO, features=[Feature.TEST_FORM.value]))
            assert (await world.predict(headers)).status_code == 200

    async def test_member_of_two_accounts_must_select_one(self, world, kit) -> None:
        people = world.people
        headers = people.user(people.account(kit.ACME, "acme"), people.account(kit.DEMO, "demo"))
        unselected = {"Cookie": headers["Cookie"].split(";", maxsplit=1)[0]}
        assert (await world.predict(unselected)).json()["code"] == "account.not_selected"

    async def test_request_from_another_site_cannot_use_the_cookie(self, world, kit) -> None:
        twin = world.instance()
        headers = world.people.user(world.people.account(kit.ACME, "acme"))
        answer = await world.predict({**headers, "Origin": "https://evil.example"})
        assert (answer.status_code, twin.requests) == (403, [])
        with_key = {**world.key(), "Origin": "https://evil.example"}
        assert (await world.predict(with_key)).status_code == 200

    async def test_expired_session_counts_as_anonymous(self, world) -> None:
        assert (await world.predict({"Cookie": "SESSION_ID=nothing"})).status_code == 401


class TestHeaders:
    async def test_callers_cannot_set_headers_of_the_gate(self, world, kit) -> None:
        twin = world.instance()
        forged = {
            "Z-callerAccountId": "1", "MLP-BILLING-ACCOUNT-ID": "1", "MLP-ORIGIN-ACCOUNT-ID": "1", "Z-custom-billing": "0",
            "Z-Priority": "7", "Content-Hidden": "true", "Z-requestId": "trace-1", "MLP-API-KEY-NAME": "x",
        }  # fmt: skip
        answer = await world.predict({**world.key(), **forged})
        assert answer.headers["z-requestid"] == "trace-1"
        assert {name: value for name, value in twin.requests[0].headers.items() if name != "traceparent"} == {
            "Z-requestId": "trace-1", "Z-Priority": "7", "Content-Hidden": "true",
            "Z-callerAccountId": str(kit.DEMO), "MLP-BILLING-ACCOUNT-ID": str(kit.DEMO),
        }  # fmt: skip

    async def test_trace_context_reaches_the_instance(self, world) -> None:
        twin = world.instance()
        parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        await world.predict({**world.key(), "traceparent": parent})
        assert twin.requests[0].headers["traceparent"].split("-")[1] == parent.split("-")[1]

    async def test_money_headers_of_the_instance_are_removed(self, world, kit) -> None:
        secrets = {
            "Z_custom_billing": "5", "z_custom_self_cost": "9", "Z_deferred_billing_id": "1", "MLP_BILLING_KEY": "k",
            "Set_Cookie": "SESSION_ID=x", "Z_Server_Time": "12", "Z_Bad": "a\r\nb",
        }  # fmt: skip
        world.instance(kit.says("{}", **secrets))
        answer = await world.predict(world.key())
        shown = {name for name in answer.headers if name.startswith(("z-", "mlp-", "set-"))}
        assert shown == {"z-server-time", "z-requestid", "mlp-cost", "mlp-units"}


class TestBillingKey:
    async def test_billing_key_pays_and_reaches_the_instance(self, world, kit) -> None:
        twin = world.instance()
        other = world.key(kit.OTHER)["MLP-API-KEY"]
        assert (await world.predict({**world.key(), "MLP-BILLING-KEY": other})).status_code == 200
        assert twin.requests[0].headers["MLP-BILLING-KEY"] == other
        assert twin.requests[0].headers["Z-callerAccountId"] == str(kit.DEMO)
        (usage,) = await world.usage()
        assert (usage.caller_account_id, usage.payer_account_id) == (kit.DEMO, kit.OTHER)

    async def test_invalid_billing_key_is_refused_and_nobody_pays(self, world) -> None:
        twin = world.instance()
        answer = await world.predict({**world.key(), "MLP-BILLING-KEY": "1.1." + "a" * 40})
        assert (answer.status_code, twin.requests) == (401, [])
