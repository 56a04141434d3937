"""Authorisation of gRPC calls at the gate, and equal answers of the raw HTTP and gRPC routes."""

from typing import TypedDict

import grpc
import pytest

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto import gate_pb2_grpc
from tests.security.callers import Cast
from tests.security.hostile_requests import ghost
from tests.security.platform import Platform
from tests.security.tenants import Tenant, serving

CALLS = ["process", "processResponseStream", "processStream", "processSynthesis", "processRecognition"]


class _Address(TypedDict):
    account: str
    model: str
    authToken: str


async def call(
    stub: "gate_pb2_grpc.GateAsyncStub", method: str, account: str, model: str, token: str
) -> tuple[str, str]:
    """The error's code and message; empty for success."""
    address = _Address(account=account, model=model, authToken=token)
    match method:
        case "processSynthesis":
            answers = stub.processSynthesis(pb.ClientTtsRequestProto(**address, tts=pb.TtsRequestProto(text="t")))
        case "processRecognition":
            asr = pb.AsrRequestProto(config=pb.RecognitionConfig())
            answers = stub.processRecognition(iter([pb.ClientAsrRequestProto(**address, asr=asr)]))
        case _:
            body = pb.PredictRequestProto(data=pb.PayloadProto(json='"x"'))
            request = pb.ClientRequestProto(**address, predict=body, timeoutSec=10)
            if method == "process":
                answer = await stub.process(request)
                return answer.error.code, answer.error.message
            answers = (
                stub.processResponseStream(request)
                if method != "processStream"
                else stub.processStream(iter([request]))
            )
    async for answer in answers:
        return answer.error.code, answer.error.message
    raise AssertionError("no answer")


def token_of(headers: object) -> str:
    """A key, a session, or nothing."""
    assert isinstance(headers, dict)
    if "MLP-API-KEY" in headers:
        return str(headers["MLP-API-KEY"])
    return str(headers.get("Cookie", "=;")).partition("=")[2].partition(";")[0]


class TestGate:
    @pytest.mark.parametrize("method", CALLS)
    async def test_an_invalid_credential_cannot_call(
        self, stub: "gate_pb2_grpc.GateAsyncStub", cast: Cast, platform: Platform, globex: Tenant, method: str
    ) -> None:
        async with serving(platform, globex):
            for who, headers in {**cast.dead_keys, **cast.dead_sessions}.items():
                code, _ = await call(stub, method, globex.name, globex.model_name, token_of(headers))
                assert (who, code) == (who, "mlp.gate.unauthorized")

    @pytest.mark.parametrize("method", CALLS)
    async def test_a_limited_key_cannot_call_other_models(
        self, stub: "gate_pb2_grpc.GateAsyncStub", cast: Cast, platform: Platform, globex: Tenant, method: str
    ) -> None:
        async with serving(platform, globex):
            for headers in (cast.read_key, cast.write_key, cast.limited_key):
                code, _ = await call(stub, method, globex.name, globex.model_name, token_of(headers))
                assert code
                assert "denied" in code or "not_allowed" in code or "not_found" in code, code

    @pytest.mark.parametrize("method", CALLS)
    async def test_a_foreign_model_looks_missing(
        self, stub: "gate_pb2_grpc.GateAsyncStub", platform: Platform, acme: Tenant, globex: Tenant, method: str
    ) -> None:
        nobody = ghost(globex)
        async with serving(platform, globex):
            for token in (acme.key["MLP-API-KEY"], acme.owner.secret):
                for one, two in (
                    ((globex.name, globex.model_name), (globex.name, nobody.model_name)),
                    ((str(globex.account_id), str(globex.model_id)), (str(nobody.account_id), str(nobody.model_id))),
                    ((acme.name, globex.model_name), (acme.name, nobody.model_name)),
                    ((acme.name, str(globex.model_id)), (acme.name, str(nobody.model_id))),
                ):
                    foreign, missing = await call(stub, method, *one, token), await call(stub, method, *two, token)
                    assert foreign == missing
                    assert foreign[0]

    async def test_gate_serves_the_owners_call(
        self, stub: "gate_pb2_grpc.GateAsyncStub", platform: Platform, globex: Tenant, cast: Cast
    ) -> None:
        async with serving(platform, globex):
            for token in (globex.key["MLP-API-KEY"], token_of(cast.predict_key), globex.owner.secret):
                assert await call(stub, "process", globex.name, globex.model_name, token) == ("", "")

    @pytest.mark.parametrize("whose", ["key", "server secret", "other instance's token, cut", "nothing"])
    async def test_only_a_connection_token_connects_an_instance(
        self, stub: "gate_pb2_grpc.GateAsyncStub", globex: Tenant, whose: str
    ) -> None:
        token = {
            "key": globex.key["MLP-API-KEY"],
            "server secret": globex.server_secret,
            "other instance's token, cut": globex.connection_token[:-1],
            "nothing": "",
        }[whose]
        stream = stub.processAsync()  # type: ignore[call-arg]  # messages are written
        await stream.write(pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=token)))
        heard = await stream.read()
        assert isinstance(heard, pb.GateToServiceProto)
        assert heard.HasField("error")
        assert await stream.read() is grpc.aio.EOF
