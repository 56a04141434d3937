"""Answers batches: requests of several callers in one call of the function."""

from mlplace.authoring.arguments import config_arguments, context_arguments
from mlplace.authoring.payloads import PayloadType
from mlplace.errors import MlpError, method_not_supported, processing_exception, to_proto
from mlplace.hosting.engine import Engine
from mlplace.hosting.exchange import Exchange, headers_of
from mlplace_gateproto import gate_pb2

Answers = dict[int, gate_pb2.BatchPayloadResponseProto]


async def answer_batch(engine: Engine, exchange: Exchange) -> None:
    """Answers a batch. An invalid item gets its own error; the others are answered normally."""
    batch = engine.service.predict_batch
    if batch is None:
        raise method_not_supported("batch")
    request = exchange.message.batch
    config = request.config if request.HasField("config") else None
    values: dict[int, object] = {}
    answers: Answers = {}
    for item in request.data:
        try:
            values[item.requestId] = batch.item.read(item.data, "data")
        except MlpError as error:
            answers[item.requestId] = _failed(item.requestId, error)
    arguments = config_arguments(batch.method, config) | context_arguments(batch.method, exchange.context)
    arguments[batch.method.parameters[0].name] = list(values.values())
    if values:
        async with engine.slots:
            results = await engine.call(batch.method, arguments)
        if not isinstance(results, list) or len(results) != len(values):  # pyright: ignore[reportUnknownArgumentType] - only counted
            raise processing_exception(ValueError(f"predict_batch must return a list of {len(values)} answers"))
        listed: list[object] = results  # pyright: ignore[reportUnknownVariableType] - narrowed by isinstance
        for index, (request_id, result) in enumerate(zip(values, listed, strict=True)):
            answers[request_id] = _answered(request_id, result, batch.output_item)
            answers[request_id].headers.update(exchange.context.item_headers(index))
    await exchange.batch([answers[item.requestId] for item in request.data])


def _answered(request_id: int, result: object, output: PayloadType) -> gate_pb2.BatchPayloadResponseProto:
    """Returns one answer. The author fails a single item by returning an ``MlpError`` in its place."""
    if isinstance(result, MlpError):
        return _failed(request_id, result)
    try:
        data = output.write(result)
    except MlpError as error:
        return _failed(request_id, error)
    return gate_pb2.BatchPayloadResponseProto(requestId=request_id, predict=gate_pb2.PredictResponseProto(data=data))


def _failed(request_id: int, error: MlpError) -> gate_pb2.BatchPayloadResponseProto:
    return gate_pb2.BatchPayloadResponseProto(requestId=request_id, error=to_proto(error), headers=headers_of(error))
