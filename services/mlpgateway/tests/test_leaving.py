"""Callers who leave an instance that speaks the gate protocol, at every entry over HTTP, and what they pay.

`pipeline/test_every_rpc.py` has callers over gRPC, `http_instances/test_every_entry.py` instances that speak HTTP.
"""

import asyncio
import base64
from collections.abc import AsyncGenerator

import orjson
import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.waiting import eventually
from services.mlpgateway.tests.entries import ENTRIES, STREAMED, raw
from services.mlpgateway.tests.instances import CountingInstance
from services.mlpgateway.tests.revocations import ENDS, PUBLIC, TIMEOUTS, End

ALL = {**ENTRIES, **STREAMED}
PASSED_ON = "httpInterface"
"""Only an instance that speaks HTTP gets its requests."""
OVER_HTTP = [name for name, end in ENDS.items() if ALL[name].path and end is not End.NONE and name != PASSED_ON]
SAID = orjson.dumps({
    "choices": [{"index": 0, "delta": {"content": "a"}, "message": {"content": "a"}}],
    "audio_base64": base64.b64encode(bytes([1]) * 64).decode(),
}).decode()  # fmt: skip
UNITS, PRICE = "3", 30
"""What each part reports, and what that costs."""


class Model(CountingInstance):
    """A model's instance. It sends so many parts, and then works on for ever."""

    def __init__(self, parts: int) -> None:
        super().__init__()
        self._parts = parts
        self.goes_on = asyncio.Event()
        """Set when the gate has taken all parts, and has sent them on where they are sent as they come."""

    async def __call__(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        try:
            for _ in range(self._parts):
                yield Answer(Payload(json=SAID), {"Z-custom-billing": UNITS}, last=False, partial=True)
            self.goes_on.set()
            await asyncio.Event().wait()
        finally:
            self.left += 1


@pytest.mark.parametrize("parts", [0, 1, 2])
@pytest.mark.parametrize("name", OVER_HTTP)
async def test_caller_who_leaves_pays_for_the_parts_that_it_got(world, kit, port, name, parts) -> None:
    """No part of an answer that comes as a whole is delivered, so none is charged."""
    billing = kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM})
    about = {"task_type": ALL[name].task_type, "publicity": PUBLIC, "timeouts": TIMEOUTS, "visitor_calls_per_day": 1000}
    world.know(kit.model_changed(name="m", billing=billing, **about))
    model = Model(parts)
    world.instance(model)
    async with raw(port, ALL[name], world.key()):
        await asyncio.wait_for(model.goes_on.wait(), 60)
    await eventually(model.was_left)
    delivered = 0 if ENDS[name] is End.WHOLE else parts
    assert [usage.amount_nano for usage in await world.usage()] == [delivered * PRICE] * bool(delivered)
