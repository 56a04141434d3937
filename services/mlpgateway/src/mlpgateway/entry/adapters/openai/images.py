"""`images/generations`: the task type's request is the same as OpenAI's."""

from functools import partial
from typing import Final

from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai.objects import Fields, Object, payload_of, with_data
from mlpgateway.entry.http.answers import send_answer

_OF_THE_REQUEST: Final = ("n", "size", "response_format", "user")


async def images(incoming: AdapterRequest) -> None:
    """Sends fields that the task type does not define as the config."""
    fields = await Fields.of(incoming)
    fields.expect_no_stream()
    model = fields.model()
    request: Object = {"prompt": fields.required("prompt", str)}
    for name in _OF_THE_REQUEST:
        if (value := fields.raw(name)) is not None:
            request[name] = value
    if model.inner is not None:
        request["model"] = model.inner
    call = incoming.call(model, payload_of(request), fields.rest())
    await send_answer(incoming.send, await incoming.answer(call, partial(with_data, endpoint="images")))
