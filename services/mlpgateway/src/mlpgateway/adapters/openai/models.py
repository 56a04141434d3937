"""`models`: what the caller may call, and one of them."""

from urllib.parse import unquote

from mlpgateway.adapters.directory import ModelReference
from mlpgateway.adapters.openai.objects import Object, payload_of
from mlpgateway.adapters.visit import Visit
from mlpgateway.http.answers import send_answer
from mlpgateway.proxy.call import Answer

# The platform does not tell callers when a service was made; clients want a number.
_UNKNOWN_TIME = 0


async def models(visit: Visit) -> None:
    listed = [_shown(name, author) for name, author in await visit.directory.callable_by(visit.caller)]
    await _send(visit, {"object": "list", "data": listed})


async def model(visit: Visit) -> None:
    """Raises what a call of it would raise."""
    reference = ModelReference.parse(unquote(visit.rest))
    await visit.directory.model(visit.caller, reference)
    await _send(visit, _shown(str(reference), reference.account))


def _shown(name: str, author: str) -> Object:
    return {"id": name, "object": "model", "created": _UNKNOWN_TIME, "owned_by": author}


async def _send(visit: Visit, body: Object) -> None:
    await send_answer(visit.send, Answer(payload_of(body), {}))
