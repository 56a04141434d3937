"""A largest price and a key that pays count at every entry, and are refused there when they are none.

The entries are those of `entries.py`, so a new one takes part by its row there. What is refused is neither served nor
stored nor charged.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from mlpgateway.entry.call_options import SERVED
from mlpgateway.policy.money.ceiling import PriceAboveCap
from mlplace_contracts.events import ModelPublicity
from mlplace_gateproto import gate_pb2 as pb
from services.mlpgateway.tests.entries import ENTRIES, STREAMED, Answers, Entry
from services.mlpgateway.tests.instances import SAID
from services.mlpgateway.tests.rpcs import Rpc, client_rpc, refused_with, speech_rpc

OVER_HTTP: Mapping[str, Entry] = {
    name: entry for name, entry in {**ENTRIES, **STREAMED}.items() if entry.path and entry.answers is not Answers.NONE
}
RPCS = [name for name, entry in ENTRIES.items() if not entry.path]
WITH_HEADERS = ["process", "processResponseStream", "processStream"]
"""RPCs whose messages have headers."""
KEYED = [name for name, served in SERVED.items() if served.key and name in OVER_HTTP]
LATER = [name for name, served in SERVED.items() if served.respond_async]
PUBLIC = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)

PAID = [name for name in OVER_HTTP if name not in {"tryWithoutSigningIn", "httpInterface"}]
"""Visitors pay nothing; requests that are passed on need a server, and `http_instances` has their tests."""

NONSENSE: Mapping[str, tuple[str, int, str]] = {
    "no amount": ("MLP-Max-Price", 400, "mlp.core.validation_error"),
    "no key": ("MLP-BILLING-KEY", 401, "mlp.gate.billing_key_not_valid"),
}
"""Header, status and code."""
VALUES = ("nonsense", "1.2.nobodys")


def expected(name: str, header: str, status: int, code: str) -> tuple[int, str]:
    """Visitors cannot send these headers at all."""
    return (400, "mlp.gate.header_not_served") if name == "tryWithoutSigningIn" else (status, code)


@pytest.fixture
def site(world, kit):
    """Returns a function that opens a world whose model serves an entry, and its instance."""

    def opened(entry: Entry) -> Any:
        about = {"publicity": PUBLIC, "billing": kit.CALLS, "visitor_calls_per_day": 1000}
        world.know(kit.model_changed(name="m", task_type=entry.task_type, **about))
        return world.instance(kit.says(SAID))

    return opened


@pytest.mark.parametrize("nonsense", NONSENSE)
class TestNonsense:
    async def _refused(self, world: Any, name: str, nonsense: str, **headers: str) -> None:
        header, status, code = NONSENSE[nonsense]
        named = {each.replace("_", "-"): value for each, value in headers.items()}
        for value in VALUES:
            answer = await OVER_HTTP[name].send(world.client, {**world.key(), **named, header: value})
            error = answer.json().get("error") or answer.json()
            assert (answer.status_code, error["code"]) == expected(name, header, status, code), answer.text
            assert header in error["message"]
        assert await world.usage() == []

    @pytest.mark.parametrize("name", OVER_HTTP)
    async def test_it_is_refused_with_its_header(self, world, site, name, nonsense) -> None:
        twin = site(OVER_HTTP[name])
        await self._refused(world, name, nonsense)
        assert twin.requests == []

    @pytest.mark.parametrize("name", KEYED)
    async def test_it_is_refused_beside_an_idempotency_key(self, world, site, name, nonsense) -> None:
        twin = site(OVER_HTTP[name])
        await self._refused(world, name, nonsense, Idempotency_Key="one")
        assert twin.requests == []
        served = await OVER_HTTP[name].send(world.client, {**world.key(), "Idempotency-Key": "one"})
        assert "z-idempotent-replayed" not in served.headers, "nothing was stored for the key"
        assert len(twin.requests) == 1

    @pytest.mark.parametrize("name", LATER)
    async def test_no_prediction_is_made(self, world, site, name, nonsense) -> None:
        site(OVER_HTTP[name])
        await self._refused(world, name, nonsense, Prefer="respond-async")
        made = await world.client.get("/api/mlpgateway/account/demo/predictions", headers=world.key())
        assert made.json() == []


async def called(world: Any, name: str, rpc: Rpc, headers: Mapping[str, str]) -> pb.ApiErrorProto:
    """Calls the RPC of this name. Returns its error, which is empty if there was none."""
    predict = pb.PredictRequestProto(data=pb.PayloadProto(json="1"))
    key = world.key()["MLP-API-KEY"]
    asked = pb.ClientRequestProto(account="acme", model="m", authToken=key, predict=predict, headers=headers)
    return await refused_with(name, client_rpc(world.components), speech_rpc(world.components), asked, rpc)


@pytest.mark.parametrize("nonsense", NONSENSE)
class TestNonsenseOverGrpc:
    @pytest.mark.parametrize("name", RPCS)
    async def test_it_is_refused_in_metadata(self, world, site, name, nonsense) -> None:
        twin = site(ENTRIES[name])
        header, status, code = NONSENSE[nonsense]
        for value in VALUES:
            error = await called(world, name, Rpc(**{header.lower().replace("-", "_"): value}), {})
            assert (error.status, error.code) == (status, code)
            assert header in error.message
        assert (twin.requests, await world.usage()) == ([], [])

    @pytest.mark.parametrize("name", WITH_HEADERS)
    async def test_it_is_refused_in_the_message(self, world, site, name, nonsense) -> None:
        twin = site(ENTRIES[name])
        header, status, code = NONSENSE[nonsense]
        for rpc in (Rpc(), Rpc(content_hidden="true"), Rpc(mlp_max_price="1")):
            error = await called(world, name, rpc, {header.title(): VALUES[0]})
            assert (error.status, error.code) == (status, code)
            assert header in error.message
        assert (twin.requests, await world.usage()) == ([], [])


class TestServed:
    """What is neither nonsense nor refused counts."""

    @pytest.fixture
    def payer(self, world, kit) -> str:
        """Another account's key."""
        world.know(kit.limits_changed(kit.OTHER))
        world.billing.money[kit.OTHER] = 10**15
        return str(world.key(kit.OTHER)["MLP-API-KEY"])

    @pytest.mark.parametrize("name", PAID)
    async def test_key_pays(self, world, kit, site, payer, name) -> None:
        site(OVER_HTTP[name])
        answer = await OVER_HTTP[name].send(world.client, {**world.key(), "MLP-BILLING-KEY": payer})
        assert answer.status_code == 200, answer.text
        assert [usage.payer_account_id for usage in await world.usage()] == [kit.OTHER]

    @pytest.mark.parametrize("name", PAID)
    async def test_model_that_costs_more_than_the_largest_price_is_not_called(self, world, site, name) -> None:
        twin = site(OVER_HTTP[name])
        answer = await OVER_HTTP[name].send(world.client, {**world.key(), "MLP-Max-Price": "0.000000001"})
        error = answer.json().get("error") or answer.json()
        assert (answer.status_code, error["code"]) == (402, PriceAboveCap.code)
        assert (twin.requests, await world.usage()) == ([], [])

    @pytest.mark.parametrize("name", RPCS)
    async def test_both_count_over_grpc(self, world, kit, site, payer, name) -> None:
        twin = site(ENTRIES[name])
        twin.send_stream = lambda request, _inputs: twin.send(request)
        assert (await called(world, name, Rpc(mlp_max_price="0.000000001"), {})).code == PriceAboveCap.code
        assert (await called(world, name, Rpc(mlp_billing_key=payer), {})).code == ""
        assert [usage.payer_account_id for usage in await world.usage()] == [kit.OTHER]
