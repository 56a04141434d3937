"""The calls of one stream of one gate. A request id is only valid within its stream."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from mlplace.authoring.arguments import context_arguments, ext_arguments, fit_arguments
from mlplace.context import enter_context
from mlplace.errors import (
    CallCancelledError,
    MlpError,
    internal_error,
    method_not_supported,
    method_unknown,
    processing_exception,
)
from mlplace.hosting.batching import answer_batch
from mlplace.hosting.engine import Engine
from mlplace.hosting.exchange import Exchange, Send
from mlplace.hosting.feed import InputFeed
from mlplace.hosting.predicting import answer_predict
from mlplace.tracing import answering
from mlplace_gateproto import gate_pb2

logger = logging.getLogger(__name__)

Work = Callable[[], Awaitable[None]]


class Session:
    """``post`` queues a message without waiting (progress of a fit); ``status`` returns which gates are connected."""

    def __init__(
        self,
        engine: Engine,
        *,
        send: Send,
        post: Callable[[gate_pb2.ServiceToGateProto], None],
        status: Callable[[], gate_pb2.StatusResponseProto],
    ) -> None:
        self._engine = engine
        self._service = engine.service
        self._send = send
        self._post = post
        self._status = status
        self._tasks: set[asyncio.Task[None]] = set()
        self._open: dict[int, tuple[Exchange, asyncio.Task[None]]] = {}
        self._feeds: dict[int, InputFeed] = {}

    def accept(self, message: gate_pb2.GateToServiceProto) -> None:
        """Starts to answer the message and returns at once."""
        match message.WhichOneof("body"):
            case "cancel":
                self._cancel(message.requestId)
            case "flow":
                self._taken(message.requestId, message.flow.taken)
            case kind:
                self._accept_request(kind, Exchange(message, self._send))

    def _accept_request(self, kind: str | None, exchange: Exchange) -> None:
        match kind:
            case "predict":
                self._start(exchange, partial(self._predict, exchange))
            case "partialPredict":
                self._accept_part(exchange, exchange.message.partialPredict)
            case "batch":
                self._start(exchange, partial(answer_batch, self._engine, exchange))
            case "ext":
                self._start(exchange, partial(self._ext, exchange))
            case "fit":
                self._start(exchange, partial(self._fit, exchange))
            case "status":
                self._start(exchange, partial(exchange.status, self._status()))
            case _:
                self._start(exchange, partial(exchange.fail, internal_error(f"Unknown request type: {kind}")))

    async def drained(self) -> None:
        """Returns when no call is being answered."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def abandon(self) -> None:
        """Cancels all calls, because the stream is gone and nobody waits for their answers."""
        for request_id in list(self._open):
            self._cancel(request_id)
        for task in self._tasks:
            task.cancel()

    def _cancel(self, request_id: int) -> None:
        """Cancels one call. Ignores an id that is unknown or already answered."""
        feed = self._feeds.pop(request_id, None)
        if feed is not None:
            feed.cancel()
        exchange, task = self._open.get(request_id, (None, None))
        if exchange is not None and task is not None:
            exchange.cancel()
            task.cancel()

    def _taken(self, request_id: int, total: int) -> None:
        exchange, _ = self._open.get(request_id, (None, None))
        if exchange is not None:
            exchange.taken(total)

    def _start(self, exchange: Exchange, work: Work) -> None:
        task = asyncio.create_task(self._guarded(exchange, work))
        self._tasks.add(task)
        self._open[exchange.request_id] = exchange, task
        task.add_done_callback(partial(self._ended, exchange.request_id))

    def _ended(self, request_id: int, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if self._open.get(request_id, (None, None))[1] is task:
            del self._open[request_id]

    async def _guarded(self, exchange: Exchange, work: Work) -> None:
        enter_context(exchange.context)
        try:
            with answering(f"answer {exchange.message.WhichOneof('body')}", exchange.context.headers):
                await work()
        except MlpError as error:
            logger.info("request %s: %s", exchange.context.request_id, error.code)
            await exchange.fail(error)
        except CallCancelledError:
            # The function raised it itself. If this call was not cancelled, its caller still waits.
            if not exchange.context.cancelled:
                await exchange.fail(internal_error("the call was cancelled"))
        except asyncio.CancelledError:
            # The same of something that the function waited for.
            if not exchange.is_awaited:
                raise
            await exchange.fail(internal_error("the function waited for something that was cancelled"))
        except Exception as error:
            logger.exception("request %s failed", exchange.context.request_id)
            await exchange.fail(processing_exception(error))

    async def _predict(self, exchange: Exchange) -> None:
        request = exchange.message.predict
        config = request.config if request.HasField("config") else None
        feed = InputFeed(self._service.predict.parameters[0].type)
        feed.put(request.data)
        feed.finish()
        await answer_predict(self._engine, exchange, request.data, config, feed)

    def _accept_part(self, exchange: Exchange, part: gate_pb2.PartialPredictRequestProto) -> None:
        feed = self._feeds.get(exchange.request_id)
        if feed is None:
            # Later parts of a refused or already answered request are dropped.
            if not part.start:
                return
            feed = InputFeed(self._service.predict.parameters[0].type, self._teller(exchange))
            self._feeds[exchange.request_id] = feed
            self._start(exchange, partial(self._predict_parts, exchange, part, feed))
        feed.put(part.data, exchange.message.ByteSize())
        if part.finish:
            feed.finish()

    def _teller(self, exchange: Exchange) -> Callable[[int], None] | None:
        """Returns None for a gate without flow control, which may reject such messages."""
        if not exchange.message.HasField("window"):
            return None
        return lambda total: self._post(exchange.input_taken(total))

    async def _predict_parts(
        self, exchange: Exchange, first: gate_pb2.PartialPredictRequestProto, feed: InputFeed
    ) -> None:
        config = first.config if first.HasField("config") else None
        data: gate_pb2.PayloadProto | None = first.data
        try:
            if self._service.predict.parameters[0].input_stream == "none" and not first.finish:
                # One part may still be the whole input: its end comes apart from it.
                data = await feed.only()
            if data is None:
                raise method_not_supported("partialPredict")
            await answer_predict(self._engine, exchange, data, config, feed)
        finally:
            self._feeds.pop(exchange.request_id, None)

    async def _ext(self, exchange: Exchange) -> None:
        request = exchange.message.ext
        method = self._service.ext.get(request.methodName)
        if method is None:
            methods = self._service.ext
            raise method_unknown(request.methodName, methods) if methods else method_not_supported("ext")
        arguments = ext_arguments(method, request) | context_arguments(method, exchange.context)
        async with self._engine.slots:
            value = await self._engine.call(method, arguments)
        await exchange.ext(method.output.write(value))

    async def _fit(self, exchange: Exchange) -> None:
        method = self._service.fit
        if method is None:
            raise method_not_supported("fit")
        loop = asyncio.get_running_loop()

        def report(percentage: int) -> None:
            # A worker thread may call this.
            loop.call_soon_threadsafe(self._post, exchange.fit_status(percentage))

        exchange.context.report_progress = report
        arguments = fit_arguments(method, exchange.message.fit) | context_arguments(method, exchange.context)
        async with self._engine.slots:
            await self._engine.call(method, arguments)
        await exchange.fit()
