"""`models`: lists the models that the caller may call, and shows one of them."""

from urllib.parse import unquote

from mlpgateway.call.call import Answer
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai.objects import Object, payload_of
from mlpgateway.entry.http.answers import send_answer
from mlpgateway.policy.access.model_directory import ModelReference

# The platform does not tell callers when a model was created, but clients require a number.
_UNKNOWN_TIME = 0


async def models(incoming: AdapterRequest) -> None:
    listed = [_shown(name, author) for name, author in await incoming.directory.callable_by(incoming.caller)]
    await _send(incoming, {"object": "list", "data": listed})


async def model(incoming: AdapterRequest) -> None:
    """Raises the errors that a call of the model would raise."""
    reference = ModelReference.parse(unquote(incoming.rest))
    await incoming.directory.model(incoming.caller, reference)
    await _send(incoming, _shown(str(reference), reference.account))


def _shown(name: str, author: str) -> Object:
    return {"id": name, "object": "model", "created": _UNKNOWN_TIME, "owned_by": author}


async def _send(incoming: AdapterRequest, body: Object) -> None:
    await send_answer(incoming.send, Answer(payload_of(body), {}))
