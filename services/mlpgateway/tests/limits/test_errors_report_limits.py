"""An error that comes after the limits were counted reports what is left of them, as an answer does."""

import pytest

from mlpgateway.call.transport import InstanceError
from mlpgateway.policy.limits.claim import LIMIT, X_REMAINING


@pytest.mark.parametrize(
    ("call", "body"), [("predict", '{"text":"hi"}'), ("predict-with-config-v2-stream", '{"data":"1"}')]
)
async def test_errors_of_instance_and_gate_report_the_limits(world, kit, call: str, body: str) -> None:
    answer = await world.predict(world.key(), body, call)
    assert (answer.status_code, answer.json()["code"]) == (503, "mlp.gate.no_active_instances")
    assert LIMIT in answer.headers
    world.instance(
        kit.fails(InstanceError(code="own", message="no", status=409, details={}, headers={"Z-Server-Time": "3"}))
    )
    answer = await world.predict(world.key(), body, call)
    assert (answer.status_code, answer.json()["code"]) == (409, "own")
    assert int(answer.headers[X_REMAINING]) >= 0
