"""A request to an adapter, read completely, with what its endpoint needs to serve it."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

from starlette.types import Scope, Send

from mlpgateway.call.call import Answer, Call, Caller, Operation, Payload
from mlpgateway.call.handler import CallHandler, Shape
from mlpgateway.entry.call_options import CallOptions
from mlpgateway.entry.http.callers import headers_to_instance
from mlpgateway.entry.http.wire import identifying
from mlpgateway.entry.large_bodies.memory import SharedBody
from mlpgateway.entry.large_bodies.reader import LargeBodyReader
from mlpgateway.features.idempotency.fingerprints import RequestParts
from mlpgateway.features.idempotency.service import IdempotentCalls
from mlpgateway.policy.access.model_directory import ModelDirectory, ModelReference


@dataclass(frozen=True, slots=True)
class AdapterRequest:
    """`rest` is the path behind the endpoint's path. `model` is the model that the path names before it, if any.

    Names in `headers` are in lower case. Endpoints have calls served by `answer` and `stream` only, which heed the
    caller's options.
    """

    request_id: str
    caller: Caller
    headers: Mapping[str, str]
    options: CallOptions
    scope: Scope
    rest: str
    model: ModelReference | None
    body: bytes | SharedBody
    large_bodies: LargeBodyReader
    send: Send
    handler: CallHandler
    idempotent_calls: IdempotentCalls
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

    async def answer(self, call: Call, shape: Shape, *, request: RequestParts | None = None) -> Answer:
        """Returns the whole answer in its shape, for a repeated idempotency key the first one.

        `request` identifies the request where its path, query and body do not. Raises the errors of the call.
        """
        key = self.options.key
        if key is None:
            return await self.handler.unary(call, shape)
        if request is None:
            request = identifying(self.scope, self.body)
        return await self.idempotent_calls.answer(call, key=key, request=request, shape=shape)

    def stream(self, call: Call, shape: Shape) -> AsyncGenerator[Answer]:
        """Returns the answers as they come, each in its shape. Raises IdempotencyNotForStreams."""
        self.options.expect_no_key()
        return self.handler.stream(call, shape)
