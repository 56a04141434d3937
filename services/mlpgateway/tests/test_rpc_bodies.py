"""JSON in the messages of RPCs is read as in bodies of HTTP."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import ValidationFailed
from services.mlpgateway.tests.rpcs import Rpc, client_rpc, refused_with, speech_rpc

RPCS = ["process", "processResponseStream", "processStream"]
"""The others have no JSON of a caller."""
MARK = "\ufeff"


class Model:
    """Keeps the texts that it is asked about, whole or in parts."""

    def __init__(self) -> None:
        self.seen: list[str | None] = []

    async def __call__(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        self.seen.append(request.data.json if request.data else None)
        yield Answer(Payload(json="1"), {})

    async def answers(self, _request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        async for part in inputs:
            self.seen.append(part.json)
        yield Answer(Payload(json="1"), {})


@pytest.fixture
def model(world) -> Model:
    made = Model()
    world.instance(made).send_stream = made.answers
    return made


@pytest.fixture
def ask(world):
    """Returns a function that calls an RPC with a text. It returns the code of the error."""

    async def asked(name: str, text: str) -> str:
        request = pb.ClientRequestProto(account="acme", model="ner", authToken=world.key()["MLP-API-KEY"])
        request.predict.data.json = text
        parts: Any = world.components
        return (await refused_with(name, client_rpc(parts), speech_rpc(parts), request, Rpc())).code

    return asked


@pytest.mark.parametrize("name", RPCS)
class TestTexts:
    @pytest.mark.parametrize("text", ['{"a":"\\ud800"}', '{"a":NaN}', '{"a":', "{} {}", "nothing"])
    async def test_what_is_no_json_is_refused(self, ask, model, world, name, text) -> None:
        assert await ask(name, text) == ValidationFailed.code
        assert (model.seen, await world.usage()) == ([], [])

    async def test_byte_order_mark_is_no_part_of_it(self, ask, model, name) -> None:
        assert await ask(name, MARK + '{"a":1}') == ""
        assert model.seen == ['{"a":1}']

    async def test_repeated_field_goes_on_as_it_is(self, ask, model, name) -> None:
        """The text is the model's own request."""
        assert await ask(name, '{"a":1,"a":2}') == ""
        assert model.seen == ['{"a":1,"a":2}']
