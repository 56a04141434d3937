"""A request to an adapter, read completely, with what its endpoint needs to serve it."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.types import Send

from mlpgateway.call.call import Call, Caller, Operation, Payload
from mlpgateway.call.handler import CallHandler
from mlpgateway.entry.http.callers import headers_to_instance
from mlpgateway.entry.large_bodies.memory import SharedBody
from mlpgateway.entry.large_bodies.reader import LargeBodyReader
from mlpgateway.policy.access.model_directory import ModelDirectory, ModelReference


@dataclass(frozen=True, slots=True)
class AdapterRequest:
    """`rest` is the path behind the endpoint's path. `model` is the model that the path names before it, if any.

    Names in `headers` are in lower case.
    """

    request_id: str
    caller: Caller
    headers: Mapping[str, str]
    rest: str
    model: ModelReference | None
    query: bytes
    body: bytes | SharedBody
    large_bodies: LargeBodyReader
    send: Send
    handler: CallHandler
    directory: ModelDirectory

    def call(
        self, model: ModelReference, data: Payload, config: Payload | None = None, *, keep_parts: bool = False
    ) -> Call:
        return Call(
            request_id=self.request_id,
            account=model.account,
            model=model.service,
            operation=Operation.PREDICT,
            caller=self.caller,
            data=data,
            config=config,
            headers=headers_to_instance(self.headers),
            keep_parts=keep_parts,
        )
