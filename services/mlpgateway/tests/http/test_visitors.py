"""Visitors who are not signed in call what its owner opened to them: free, seldom, small, and at the owner's bound."""

import asyncio
from collections.abc import AsyncGenerator

import httpx
import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.entry.http.visitors import match
from mlpgateway.policy.visitors.limits import AddressRates, VisitorTerms
from mlpgateway.wiring.http import over_http
from mlplace_contracts.events import ModelCaching, ModelPriorityQueue, ModelPublicity, WakeUpWanted
from mlplace_gateproto import headers as names
from mlplace_kit.errors import DomainError
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.process.http.proxies import BehindProxies
from mlplace_runtime.process.trusted_proxies import TrustedProxies
from mlplace_runtime.web.request_context import RequestContext
from mlplace_testing.events import published
from mlplace_testing.waiting import eventually

PATH = "/api/mlpgateway/account/acme/model/ner/try"
OPEN = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)
GENEROUS = {"visitor_calls_per_minute": 1000, "visitor_calls_per_day": 10_000}


@pytest.fixture
def open_model(kit):
    def made(**about: object):
        return kit.model_changed(**{"publicity": OPEN, "visitor_calls_per_day": 1000, "billing": kit.CALLS, **about})

    return made


async def attempt(world, *, body: object = '{"text":"hi"}', headers: dict[str, str] | None = None, path: str = PATH):
    return await world.client.post(path, content=body, headers=headers or {})


class TestOpenModel:
    async def test_visitor_gets_the_answer_free_and_the_owner_is_no_caller(self, world, kit, open_model) -> None:
        world.know(open_model())
        twin = world.instance(kit.says('{"ok":1}'))
        answer = await attempt(world)
        assert (answer.status_code, answer.json()) == (200, {"ok": 1})
        assert answer.headers["ratelimit"].startswith('"visitors";r=')
        usage = (await world.usage())[0]
        assert (usage.caller_account_id, usage.payer_account_id) == (0, kit.ACME)
        assert (usage.amount_nano, usage.payer_key_id) == (0, None)
        assert twin.requests[0].headers[names.CALLER_ACCOUNT_ID] == "0"

    async def test_visitor_goes_after_all_others(self, world, kit, open_model) -> None:
        queue = ModelPriorityQueue(enabled=True, concurrency=1)
        world.know(open_model(priority_queue=queue))
        twin = world.instance(kit.says("1"))
        assert (await attempt(world)).status_code == 200
        assert twin.requests[0].headers["Z-Priority"] == str(-(2**31 - 1))

    @pytest.mark.parametrize("header", ["MLP-BILLING-KEY", "MLP-Max-Price", "Z-Priority"])
    @pytest.mark.parametrize("value", ["1", "nonsense", ""])
    async def test_visitor_chooses_no_payer_price_and_priority(self, world, kit, open_model, header, value) -> None:
        world.know(open_model())
        twin = world.instance(kit.says("1"))
        refused = await attempt(world, headers={header: value})
        assert (refused.status_code, refused.json()["code"]) == (400, "mlp.gate.header_not_served")
        assert refused.json()["args"] == {"header": header}
        assert (twin.requests, await world.usage()) == ([], [])

    @pytest.mark.parametrize("field", ["configId", "dataType"])
    @pytest.mark.parametrize("value", ["7", "nonsense", ""])
    async def test_visitor_chooses_no_config_and_type(self, world, kit, open_model, field, value) -> None:
        world.know(open_model())
        twin = world.instance(kit.says("1"))
        refused = await attempt(world, path=f"{PATH}?{field}={value}&other=1")
        assert (refused.status_code, refused.json()["code"]) == (400, "mlp.core.validation_error")
        assert list(refused.json()["args"]) == [field]
        assert (twin.requests, await world.usage()) == ([], [])

    async def test_other_fields_of_the_query_have_no_effect(self, world, kit, open_model) -> None:
        world.know(open_model())
        twin = world.instance(kit.says("1"))
        assert (await attempt(world, path=f"{PATH}?other=1")).status_code == 200
        assert twin.requests[0].config == Payload(json="{}")

    async def test_instance_hears_of_hidden_contents_and_the_call_chain(self, world, kit, open_model) -> None:
        world.know(open_model())
        twin = world.instance(kit.says("1"))
        headers = {"Content-Hidden": "true", "MLP-CALL-CHAIN": "1,2"}
        assert (await attempt(world, headers=headers)).status_code == 200
        given = twin.requests[0].headers
        assert (given["Content-Hidden"], given["MLP-CALL-CHAIN"]) == ("true", f"1,2,{kit.MODEL}")

    async def test_call_that_comes_back_to_its_model_is_refused(self, world, kit, open_model) -> None:
        world.know(open_model())
        twin = world.instance(kit.says("1"))
        refused = await attempt(world, headers={"MLP-CALL-CHAIN": f"1,{kit.MODEL}"})
        assert (refused.status_code, twin.requests) == (508, [])

    async def test_credentials_of_the_request_do_not_count(self, world, kit, open_model) -> None:
        world.know(open_model())
        world.instance(kit.says("1"))
        assert (await attempt(world, headers={"MLP-API-KEY": "wrong"})).status_code == 200
        assert (await attempt(world, headers=world.key())).status_code == 200
        assert {usage.caller_account_id for usage in await world.usage()} == {0}


class TestClosedModel:
    @pytest.mark.parametrize(
        "about",
        [
            {},
            {"is_public": False},
            {"public_testing_allowed": False},
            {"is_public": False, "allowed_accounts": (0,)},
        ],
    )
    async def test_closed_model_answers_like_a_missing_one(
        self, world, kit, open_model, about: dict[str, object]
    ) -> None:
        world.know(open_model(publicity=OPEN.model_copy(update=about), visitor_calls_per_day=0 if not about else 1000))
        twin = world.instance(kit.says("1"))
        closed = await attempt(world)
        missing = await attempt(world, path=PATH.replace("ner", "nothing"))
        nowhere = await attempt(world, path=PATH.replace("acme", "nobody"))
        found = [(answer.status_code, answer.json()["code"]) for answer in (closed, missing, nowhere)]
        assert found == [(401, closed.json()["code"])] * 3
        assert twin.requests == []

    async def test_gate_that_does_not_know_the_models_yet_says_so(self, world, kit, open_model) -> None:
        world.know(open_model())
        world.instance(kit.says("1"))
        world.components.read_models_projection.ready.clear()
        answer = await attempt(world)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")

    async def test_other_paths_of_an_open_model_stay_closed(self, world, kit, open_model) -> None:
        world.know(open_model())
        twin = world.instance(kit.says("1"))
        for call in ("predict", "predict-with-config", "predict-with-config-v2-stream", "ext"):
            assert (await world.predict({}, call=call)).status_code == 401
        assert (await attempt(world, path="/p/acme/ner")).status_code == 401
        refused = await world.client.get(PATH)
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
        assert twin.requests == []

    async def test_operator_can_refuse_all_visitors(self, open_world, kit, open_model) -> None:
        async with open_world(visitors_at_once=0) as world:
            world.know(open_model())
            world.instance(kit.says("1"))
            assert (await attempt(world)).status_code == 401

    async def test_visitor_wakes_no_sleeping_model(self, world, open_model) -> None:
        world.know(open_model(reject_if_inactive=False, hosting_type="HOSTING_SERVER"))
        answer = await attempt(world)
        assert (answer.status_code, answer.json()["code"]) == (503, "mlp.gate.no_active_instances")
        assert await published(world.components.database, WakeUpWanted) == []

    async def test_requests_of_other_sites_are_refused(self, world, kit, open_model) -> None:
        world.know(open_model())
        world.instance(kit.says("1"))
        assert (await attempt(world, headers={"Origin": "https://evil.example"})).status_code == 403
        assert (await attempt(world, headers={"Sec-Fetch-Site": "cross-site"})).status_code == 403


class TestLimits:
    async def test_address_gets_its_calls_and_then_a_time_to_wait(self, open_world, kit, open_model) -> None:
        async with open_world(visitor_calls_per_minute=2) as world:
            world.know(open_model())
            world.instance(kit.says("1"))
            answers = [await attempt(world) for _ in range(3)]
            assert [answer.status_code for answer in answers] == [200, 200, 429]
            assert answers[2].json()["code"] == "mlp.gate.visitor_limit_exceeded"
            assert answers[2].json()["args"] == {"limit": "2", "period": "MINUTE", "of": "address"}
            assert 1 <= int(answers[2].headers["retry-after"]) <= 31

    async def test_invented_forwarded_addresses_do_not_help(self, open_world, kit, open_model) -> None:
        async with open_world(visitor_calls_per_minute=2) as world:
            world.know(open_model())
            world.instance(kit.says("1"))
            found = [
                (await attempt(world, headers={"X-Forwarded-For": f"203.0.113.{number}"})).status_code
                for number in range(4)
            ]
            assert found == [200, 200, 429, 429]

    async def test_behind_a_proxy_only_its_own_entry_counts(self, open_world, kit, open_model) -> None:
        async with open_world(visitor_calls_per_minute=1) as world:
            world.know(open_model())
            world.instance(kit.says("1"))
            front = over_http(world.components, control=world.app, cookies=CookieNames(secure=False))
            app = RequestContext(front, service="mlpgateway", max_body_bytes=10**6)
            app = BehindProxies(app, TrustedProxies("127.0.0.1"))
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(app=app), base_url="http://testserver"
            ) as client:
                lines = ["9.9.9.1, 198.51.100.7", "9.9.9.2, 198.51.100.7", "9.9.9.1, 198.51.100.8"]
                found = [
                    (await client.post(PATH, content="1", headers={"X-Forwarded-For": line})).status_code
                    for line in lines
                ]
            assert found == [200, 429, 200]

    async def test_owner_bounds_the_calls_of_all_addresses(self, open_world, kit, open_model) -> None:
        async with open_world(**GENEROUS) as world:
            world.know(open_model(visitor_calls_per_day=3))
            twin = world.instance(kit.says("1"))
            answers = [await attempt(world) for _ in range(5)]
            assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
            assert answers[4].json()["args"]["of"] == "model"
            assert len(twin.requests) == 3
            assert (await world.predict(world.key())).status_code == 200, "callers with a key are not affected"

    async def test_all_visitors_together_are_bounded(self, open_world, kit, open_model) -> None:
        async with open_world(visitors_per_minute=2, **GENEROUS) as world:
            world.know(open_model(), open_model(model_id=501, name="other"))
            world.instance(kit.says("1"))
            world.instance(kit.says("1"), model_id=501)
            other = PATH.replace("ner", "other")
            found = [(await attempt(world, path=path)).status_code for path in (PATH, other, PATH)]
            assert found == [200, 200, 429]

    @pytest.mark.parametrize("told", [True, False])
    async def test_large_body_is_refused_without_a_call(self, open_world, kit, open_model, told: bool) -> None:
        async with open_world(visitor_body_bytes=100) as world:
            world.know(open_model())
            twin = world.instance(kit.says("1"))
            body = b'"' + b"a" * 200 + b'"'

            async def pieces() -> AsyncGenerator[bytes]:
                yield body[:50]
                yield body[50:]

            answer = await attempt(world, body=body if told else pieces())
            assert answer.status_code == 413
            assert twin.requests == []

    async def test_one_address_has_few_calls_at_once(self, open_world, open_model) -> None:
        released = asyncio.Event()

        async def slow(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            await released.wait()
            yield Answer(Payload(json="1"), {})

        async with open_world(visitors_at_once=16, **GENEROUS) as world:
            world.know(open_model())
            twin = world.instance(slow)
            held = [asyncio.create_task(attempt(world)) for _ in range(2)]

            async def both() -> bool:
                return len(twin.requests) == 2

            await eventually(both)
            refused = await attempt(world)
            assert (refused.status_code, refused.json()["args"]["holder"]) == (429, "address")
            released.set()
            assert [(await answer).status_code for answer in held] == [200, 200]

    async def test_slow_model_is_given_up_early_without_harm_to_others(self, open_world, kit, open_model) -> None:
        async def never(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            await asyncio.Event().wait()
            yield Answer(Payload(json="1"), {})

        async with open_world(visitor_seconds=0.05, **GENEROUS) as world:
            world.know(open_model())
            world.instance(never)
            for _ in range(6):
                assert (await attempt(world)).status_code == 504
            assert not world.components.queues.breakers.any
            assert world.components.failed.write() == []

    async def test_nothing_of_a_visitor_is_kept(self, world, open_model) -> None:
        caching = ModelCaching(address="x", collection="c", most=5)
        plan = world.components.visitors.handler._stages.plans.of(open_model(caching=caching))
        assert (plan.caching, plan.archive, plan.repeats, plan.batches) == (None, None, None, None)
        assert (plan.waits, plan.wakeable) == (False, False)


class TestAddressRates:
    def test_rate_refills_evenly_and_a_refused_call_costs_nothing(self) -> None:
        now = [1000.0]
        rates = AddressRates(VisitorTerms(per_minute=2, per_day=3), lambda: now[0])

        def taken() -> bool:
            try:
                rates.take("a")
            except DomainError:
                return False
            return True

        assert [taken() for _ in range(3)] == [True, True, False]
        now[0] += 30
        assert [taken(), taken()] == [True, False]
        now[0] += 3600
        assert not taken(), "the day's calls are used up"
        now[0] += 86_400 / 3
        assert taken()

    def test_none_allows_no_call(self) -> None:
        rates = AddressRates(VisitorTerms(per_minute=0), lambda: 0.0)
        with pytest.raises(DomainError):
            rates.take("a")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (PATH, ("acme", "ner")),
        (f"{PATH}/", None),
        ("/api/mlpgateway/account/acme/model//try", None),
        ("/api/mlpgateway/account/acme/modell/ner/try", None),
        ("/x/mlpgateway/account/acme/model/ner/try", None),
    ],
)
def test_path_is_matched_exactly(path: str, expected: object) -> None:
    assert match(path) == expected
