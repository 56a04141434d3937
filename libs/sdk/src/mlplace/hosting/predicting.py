"""Answers predict requests, with one value or a stream of parts."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing

from mlplace.authoring.arguments import Arguments, config_arguments, context_arguments
from mlplace.hosting.engine import Engine
from mlplace.hosting.exchange import Exchange
from mlplace.hosting.feed import InputFeed
from mlplace_gateproto import gate_pb2


async def answer_predict(
    engine: Engine,
    exchange: Exchange,
    data: gate_pb2.PayloadProto,
    config: gate_pb2.PayloadProto | None,
    feed: InputFeed,
) -> None:
    """``feed`` contains ``data``, too; a function with a streamed input reads it."""
    method = engine.service.predict
    parameter = method.parameters[0]
    arguments = config_arguments(method, config) | context_arguments(method, exchange.context)
    match parameter.input_stream:
        case "none":
            arguments[parameter.name] = parameter.type.read(data, "data")
        case "async":
            arguments[parameter.name] = feed.items()
        case "sync":
            arguments[parameter.name] = feed.blocking_items()
    async with engine.slots:
        if method.streams:
            await _answer_in_parts(engine, exchange, arguments, feed)
        else:
            value = await engine.call(method, arguments)
            await exchange.predict(method.output.write(value))


async def _answer_in_parts(engine: Engine, exchange: Exchange, arguments: Arguments, feed: InputFeed) -> None:
    """Sends each part as it comes, and marks the last one.

    Only the end of the generator tells which part was the last, so each part waits for its successor. While the caller
    is still sending, parts leave at once: the successor may depend on the caller's reaction. What was yielded before an
    error arrives before it.
    """
    method = engine.service.predict
    held: tuple[gate_pb2.PayloadProto, Mapping[str, str]] | None = None
    start = True
    # Closed at once if a part fails: the author's clean-up must not wait for the garbage collector.
    async with aclosing(engine.items(method, arguments)) as values:
        try:
            async for value in values:
                if held is not None:
                    part, held = held, None
                    await exchange.part(*part, start=start, finish=False)
                    start = False
                part = (method.output.write(value), exchange.context.take_answer_headers())
                if feed.finished:
                    held = part
                else:
                    await exchange.part(*part, start=start, finish=False)
                    start = False
        except (Exception, asyncio.CancelledError):
            if held is not None and exchange.is_awaited:
                await exchange.part(*held, start=start, finish=False)
            raise
    data, own = held or (None, {})
    await exchange.part(data, own, start=start, finish=True)
