"""One request to an adapter, read, with what its endpoint needs to serve it."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.types import Send

from mlpgateway.adapters.directory import ModelDirectory, ModelReference
from mlpgateway.http.callers import headers_to_instance
from mlpgateway.large_bodies.memory import SharedBody
from mlpgateway.large_bodies.reader import LargeBodyReader
from mlpgateway.proxy.call import Call, Caller, Operation, Payload
from mlpgateway.proxy.handler import CallHandler


@dataclass(frozen=True, slots=True)
class AdapterRequest:
    """`rest` is what the path says after the address of the endpoint; `model` what it says before, if it does.

    `headers` are by lower-case name.
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
