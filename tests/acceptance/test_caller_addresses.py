"""No header gives a caller another address, at any way in, and all parts of the platform know the same one."""

from collections.abc import Callable
from ipaddress import ip_address

import grpc
import httpx

from mlplace_gateproto import gate_pb2
from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.acceptance.caller_addresses import FORGED, HEADERS, address_of, allow
from tests.acceptance.conftest import PREDICT, Payer, Platform
from tests.acceptance.waiting import eventually

LET_IN = "mlp.billing.insufficient_funds"
"""The payer has no money, which is looked at after the address."""
REFUSED = "mlp.gate.access_denied_for_account_from_ip"


def _over_http(platform: Platform, payer: Payer) -> str:
    with platform.client(**{"MLP-API-KEY": payer.key}, **HEADERS) as client:
        return str(client.post(PREDICT.format("ner-ru"), json={"texts": ["x"]}).json()["code"])


def _over_grpc(platform: Platform, payer: Payer) -> str:
    request = gate_pb2.ClientRequestProto(
        account="acme",
        model="ner-ru",
        authToken=payer.key,
        predict=gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(json='{"texts": ["x"]}')),
    )
    metadata = tuple((name.lower(), value) for name, value in HEADERS.items())
    with grpc.insecure_channel(platform.gate) as channel:
        return str(GateStub(channel).process(request, timeout=60, metadata=metadata).error.code)


class TestCallerAddress:
    def test_all_ways_in_know_the_address_that_no_header_changes(
        self, platform: Platform, payer: Payer, admin: httpx.Client
    ) -> None:
        address = address_of(platform, "demo@example.org")
        assert address != FORGED
        # `localhost` of the all-in-one has two addresses.
        own = ["127.0.0.0/8", "::1"] if ip_address(address).is_loopback else [address]
        ways: tuple[Callable[[Platform, Payer], str], ...] = (_over_http, _over_grpc)
        for networks, expected in (([FORGED], REFUSED), (own, LET_IN)):
            allow(admin, payer.account_id, networks)
            for way in ways:
                eventually(lambda way=way: way(platform, payer), until=lambda code, expected=expected: code == expected)
