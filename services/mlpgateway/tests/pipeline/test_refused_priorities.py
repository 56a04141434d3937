"""A priority that is no whole number is refused at every entry: nothing that a caller asked for is ignored."""

from typing import Any, cast

import pytest

from mlpgateway.http2.call import Call as Context
from mlplace_contracts.events import ModelPublicity
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import HeaderNotServed, ValidationFailed
from services.mlpgateway.tests.entries import ENTRIES, STREAMED, Answers
from services.mlpgateway.tests.rpcs import Rpc, answered, client_rpc, refused_with, speech_rpc

CALLED = {
    name: entry for name, entry in {**ENTRIES, **STREAMED}.items() if entry.path and entry.answers is not Answers.NONE
}
RPCS = [name for name, entry in ENTRIES.items() if not entry.path]
PUBLIC = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)


async def refused(world: Any, name: str, rpc: Rpc, **headers: str) -> pb.ApiErrorProto:
    predict = pb.PredictRequestProto(data=pb.PayloadProto(json="1"))
    given = {header.replace("_", "-"): value for header, value in headers.items()}
    key = world.key()["MLP-API-KEY"]
    asked = pb.ClientRequestProto(account="acme", model="m", authToken=key, predict=predict, headers=given)
    parts = world.components
    return await refused_with(name, client_rpc(parts), speech_rpc(parts), asked, rpc)


class TestHttp:
    @pytest.mark.parametrize("name", CALLED)
    async def test_it_is_refused_with_its_header(self, world, kit, name) -> None:
        about = {"task_type": CALLED[name].task_type, "publicity": PUBLIC, "visitor_calls_per_day": 1000}
        world.know(kit.model_changed(name="m", **about))
        twin = world.instance()
        answer = await CALLED[name].send(world.client, {**world.key(), "Z-Priority": "high"})
        error = answer.json().get("error") or answer.json()
        of_visitors = name == "tryWithoutSigningIn"  # they have none
        assert (answer.status_code, error["code"]) == (
            400,
            HeaderNotServed.code if of_visitors else ValidationFailed.code,
        )
        assert error["message"].startswith(
            "Z-Priority is not served" if of_visitors else "Z-Priority: must be a whole number"
        )
        assert twin.requests == []

    @pytest.mark.parametrize("given", [["1", "high"], ["1.5"], ["--1"], ["1 2"], ["\xb2"]])
    async def test_each_of_several_counts(self, world, kit, given) -> None:
        world.know(kit.model_changed())
        world.instance()
        headers = [*world.key().items(), *((b"Z-Priority", value.encode("latin-1")) for value in given)]
        assert (await world.predict(headers)).status_code == 400

    @pytest.mark.parametrize("given", ["", " ", "5", "-7", "+5", "9" * 300])
    async def test_whole_number_or_none_is_served(self, world, kit, given) -> None:
        world.know(kit.model_changed())
        world.instance()
        assert (await world.predict({**world.key(), "Z-Priority": given})).status_code == 200


class TestPredictions:
    @pytest.mark.parametrize(
        ("header", "status"), [("Z-Priority", 400), ("MLP-Max-Price", 400), ("MLP-BILLING-KEY", 401)]
    )
    async def test_nonsense_makes_none(self, world, kit, header, status) -> None:
        world.know(kit.model_changed())
        refused = await world.predict({**world.key(), "Prefer": "respond-async", header: "high"})
        assert refused.status_code == status
        made = await world.client.get("/api/mlpgateway/account/demo/predictions", headers=world.key())
        assert made.json() == []


class TestRpcs:
    @pytest.mark.parametrize("name", RPCS)
    async def test_it_is_refused_in_metadata(self, world, kit, name) -> None:
        world.know(kit.model_changed(name="m"))
        world.instance()
        error = await refused(world, name, Rpc(z_priority="high"))
        assert (error.status, error.message) == (400, "Z-Priority: must be a whole number")

    @pytest.mark.parametrize("name", ["process", "processResponseStream", "processStream"])
    async def test_it_is_refused_in_the_message(self, world, kit, name) -> None:
        world.know(kit.model_changed(name="m"))
        world.instance()
        for rpc in (Rpc(), Rpc(content_hidden="true"), Rpc(z_priority="5")):
            error = await refused(world, name, rpc, z_PRIORITY="high")
            assert (error.status, error.message) == (400, "Z-Priority: must be a whole number")

    @pytest.mark.parametrize(("seconds", "status"), [(-1, 400), (0, 0), (60, 0)])
    async def test_timeout_below_zero_is_refused(self, world, kit, seconds, status) -> None:
        world.know(kit.model_changed(name="m"))
        world.instance()
        predict = pb.PredictRequestProto(data=pb.PayloadProto(json="1"))
        key = world.key()["MLP-API-KEY"]
        asked = pb.ClientRequestProto(account="acme", model="m", authToken=key, predict=predict, timeoutSec=seconds)
        error = (await answered(client_rpc(world.components), asked, cast("Context", Rpc()))).error
        assert (error.status, "timeoutSec" in error.message) == (status, status == 400)
