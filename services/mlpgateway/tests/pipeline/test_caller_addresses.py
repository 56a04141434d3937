"""Whose address counts at every entry: what a trusted proxy says of the caller, and nothing that a caller claims.

A new entry takes part by its row in `entries.py`.
"""

from typing import Any

import httpx
import pytest

from mlplace_contracts.events import ModelHttp, ModelPublicity
from mlplace_gateproto import gate_pb2 as pb
from mlplace_runtime.process.http.proxies import BehindProxies
from mlplace_runtime.process.trusted_proxies import TrustedProxies
from services.mlpgateway.tests.entries import ENTRIES, STREAMED, Answers
from services.mlpgateway.tests.rpcs import Rpc, client_rpc, refused_with, speech_rpc

OVER_HTTP = {
    name: entry
    for name, entry in {**ENTRIES, **STREAMED}.items()
    if entry.path and entry.answers is not Answers.NONE and name != "tryWithoutSigningIn"
}
"""Not those that call no model, and not visitors, whose account has no networks."""
RPCS = [name for name, entry in ENTRIES.items() if not entry.path]
PEER, ALLOWED, OTHER = "127.0.0.1", "198.51.100.7", "203.0.113.9"
REFUSED = "mlp.gate.access_denied_for_account_from_ip"
CASES = {
    "a proxy names an allowed caller": (PEER, f"{OTHER}, {ALLOWED}", None),
    "a proxy names another caller": (PEER, f"{ALLOWED}, {OTHER}", OTHER),
    "a caller claims an allowed address": ("192.0.2.1", ALLOWED, PEER),
}
"""The trusted proxy, X-Forwarded-For, and the address that is refused, if one is."""


@pytest.fixture
def site(world, kit):
    """Returns a function that opens a world whose caller may call from one address only."""

    def opened(task_type: str = "custom") -> Any:
        about = {"publicity": ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)}
        http = ModelHttp(port=80, page="/", only=False)
        world.know(kit.model_changed(name="m", task_type=task_type, http=http, **about))
        limits = kit.limits_changed(kit.DEMO)
        world.know(limits.model_copy(update={"allowed_networks": (f"{ALLOWED}/32",)}))
        return world.instance(kit.says("1"))

    return opened


@pytest.mark.parametrize("case", CASES)
class TestAddress:
    @pytest.mark.parametrize("name", OVER_HTTP)
    async def test_over_http(self, world, site, name, case) -> None:
        await self._over_http(world, site, name, case)

    async def test_of_a_prediction(self, world, site, case) -> None:
        await self._over_http(world, site, "predict", case, Prefer="respond-async")

    @staticmethod
    async def _over_http(world: Any, site: Any, name: str, case: str, **headers: str) -> None:
        trusted, reported, refused = CASES[case]
        twin, entry = site(OVER_HTTP[name].task_type), OVER_HTTP[name]
        transport = httpx.ASGITransport(app=BehindProxies(world.app, TrustedProxies(trusted)))
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            answer = await entry.send(client, {**world.key(), "X-Forwarded-For": reported, **headers})
        if refused is None:
            assert answer.status_code != 403
            return
        error = answer.json().get("error") or answer.json()
        assert (answer.status_code, error["code"]) == (403, REFUSED)
        assert refused in error["message"]
        assert twin.requests == []

    @pytest.mark.parametrize("name", RPCS)
    async def test_over_grpc(self, world, site, name, case) -> None:
        trusted, reported, refused = CASES[case]
        twin, proxies = site(), TrustedProxies(trusted)
        asked = pb.ClientRequestProto(account="acme", model="m", authToken=world.key()["MLP-API-KEY"])
        asked.predict.data.json = "1"
        rpcs = client_rpc(world.components, proxies), speech_rpc(world.components, proxies)
        error = await refused_with(name, *rpcs, asked, Rpc(x_forwarded_for=reported))
        assert (error.code == REFUSED) is (refused is not None)
        if refused is not None:
            assert (error.args["address"], twin.requests) == (refused, [])
