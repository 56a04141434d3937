"""Whose X-Forwarded-For counts at the gate's own port."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from mlpgateway.settings import MlpgatewaySettings
from mlplace_runtime.process.trusted_proxies import TrustedProxies

CLAIMED = "6.6.6.6"


class TestGate:
    @pytest.mark.parametrize(("proxy", "believed"), [("localhost", True), ("10.9.9.9", False)])
    async def test_peer_at_the_gates_own_port_is_the_caller_unless_it_is_the_edge(
        self, run_gate, connect, request_of, proxy: str, believed: bool
    ) -> None:
        async with run_gate(proxies=TrustedProxies(proxy)) as gate:
            stub = connect(gate.address)
            metadata = (("x-forwarded-for", CLAIMED),)
            await stub.process(request_of(), metadata=metadata)
            stream = stub.processResponseStream(request_of(), metadata=metadata)
            await stream.read()
            seen = {call.caller.client_ip for call in gate.handler.calls}
        assert len(gate.handler.calls) == 2
        assert seen == ({CLAIMED} if believed else {"127.0.0.1"})


class TestSettings:
    def test_wrong_proxy_is_refused_by_the_name_of_its_field(self) -> None:
        with pytest.raises(ValidationError) as refused:
            MlpgatewaySettings(
                database_url="postgresql+asyncpg://h/d", usage_spool_dir=Path("x"), trusted_proxies="edge, 127.0.0.1/33"
            )
        (error,) = refused.value.errors()
        assert error["loc"] == ("trusted_proxies",)
        assert "127.0.0.1/33" in error["msg"]

    def test_drain_shorter_than_its_parts_is_refused(self) -> None:
        with pytest.raises(ValueError, match="MLP_MLPGATEWAY_DRAIN_SECONDS must be at least"):
            MlpgatewaySettings(
                database_url="postgresql+asyncpg://h/d",
                usage_spool_dir=Path("x"),
                drain_seconds=5,
                settle_seconds=3,
                connection_seconds=3,
            )
