"""The gateway, called by OpenAI's own client, with scripted instances."""

from collections.abc import AsyncGenerator, Callable, Iterator

import httpx2
import openai
import orjson
import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest

Reply = Callable[[dict[str, object], dict[str, object]], object]


@pytest.fixture
def model(world, kit) -> str:
    """Returns the public name of a chat model of another account."""
    world.know(kit.model_changed(name="talk", model_id=700, task_type="chat-completion"))
    return "acme/talk"


@pytest.fixture
async def client(world) -> AsyncGenerator[openai.AsyncOpenAI]:
    async with openai_client(world, world.key()["MLP-API-KEY"]) as made:
        yield made


def openai_client(world, key: str, base: str = "/api/adapters/openai", **about: object) -> openai.AsyncOpenAI:
    transport = httpx2.ASGITransport(app=world.app)
    return openai.AsyncOpenAI(
        api_key=key,
        base_url=f"http://testserver{base}",
        max_retries=0,
        http_client=httpx2.AsyncClient(transport=transport),
        **about,  # type: ignore[arg-type]
    )


@pytest.fixture
def connect(world):
    """Opens clients with their own key or base URL."""
    return lambda key=None, base="/api/adapters/openai": openai_client(world, key or world.key()["MLP-API-KEY"], base)


def replies(reply: Reply):
    """Returns an instance that answers with `reply(request, config)`; a list becomes a streamed answer."""

    async def script(request: InstanceRequest) -> AsyncGenerator[Answer]:
        data = orjson.loads((request.data or Payload()).json or "null")
        config = orjson.loads((request.config or Payload()).json or "{}")
        answer = reply(data, config)
        parts = answer if isinstance(answer, list) else [answer]
        for place, part in enumerate(_payloads(parts)):
            last = place == len(parts) - 1
            yield Answer(part, {}, first=place == 0, last=last, partial=isinstance(answer, list))

    return script


def _payloads(parts: list[object]) -> Iterator[Payload]:
    for part in parts:
        yield Payload(protobuf=part) if isinstance(part, bytes) else Payload(json=orjson.dumps(part).decode())


@pytest.fixture
def answering(world):
    """Connects an instance that answers with a function's result; `requests` holds what it was asked."""
    return lambda reply, model_id=700: world.instance(replies(reply), model_id=model_id)
