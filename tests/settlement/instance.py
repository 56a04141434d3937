"""A scripted instance over the real protocol."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import grpc

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub


@dataclass(slots=True)
class Turn:
    """One request, with the possible reactions of an instance."""

    instance: "Instance"
    message: pb.GateToServiceProto

    @property
    def headers(self) -> dict[str, str]:
        return dict(self.message.headers)

    async def answer(self, text: str = '"done"', **headers: str) -> None:
        data = pb.PayloadProto(json=text)
        if self.message.WhichOneof("body") == "ext":
            await self._say(headers, ext=pb.ExtendedResponseProto(data=data))
        else:
            await self._say(headers, predict=pb.PredictResponseProto(data=data))

    async def part(self, text: str | bytes = '"part"', *, last: bool = False, **headers: str) -> None:
        """A text is JSON."""
        data = pb.PayloadProto(protobuf=text) if isinstance(text, bytes) else pb.PayloadProto(json=text)
        part = pb.PartialPredictResponseProto(data=data, finish=last)
        await self._say(headers, partialPredict=part)

    async def error(self, *, of_the_service: bool = False) -> None:
        """An error about the request, or about the model itself."""
        status = pb.INTERNAL_SERVER_ERROR if of_the_service else pb.BAD_REQUEST
        await self._say({}, error=pb.ApiErrorProto(code="acme.broken", message="broken", status=status))

    async def answer_batch(self, *, failing: int = 0, **headers: str) -> None:
        """Answer the first `failing` requests with an error, and the others with their own data and the headers."""
        said = pb.BatchResponseProto()
        for place, item in enumerate(self.message.batch.data):
            answer = said.data.add(requestId=item.requestId)
            if place < failing:
                answer.error.code = "acme.broken"
            else:
                answer.predict.data.CopyFrom(item.data)
                answer.headers.update(_named(headers))
        await self._say({}, batch=said)

    def die(self) -> None:
        """Break the stream, like a killed process."""
        self.instance.die()

    async def _say(self, headers: dict[str, str], **body: object) -> None:
        message = pb.ServiceToGateProto(requestId=self.message.requestId, headers=_named(headers), **body)  # type: ignore[arg-type]
        await self.instance.say(message)


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


Script = Callable[[Turn], Awaitable[None]]


class Instance:
    """Reconnects to the gate until it is closed or has died."""

    def __init__(self, address: str, token: str, script: Script, *, takes_batches: bool = False) -> None:
        self._takes_batches = takes_batches
        self.turns: list[Turn] = []
        self.asked = asyncio.Event()
        self._address = address
        self._token = token
        self.script = script
        self._serving = asyncio.Event()
        self._call: grpc.aio.StreamStreamCall[pb.ServiceToGateProto, pb.GateToServiceProto] | None = None
        self._dead = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._main = asyncio.create_task(self._run())

    async def connected(self) -> None:
        async with asyncio.timeout(60):
            await self._serving.wait()

    async def say(self, message: pb.ServiceToGateProto) -> None:
        if self._call is not None and not self._dead:
            await self._call.write(message)

    def die(self) -> None:
        self._dead = True
        if self._call is not None:
            self._call.cancel()

    async def leave(self) -> None:
        """End the stream cleanly."""
        self._dead = True
        if self._call is not None:
            await self._call.done_writing()

    async def close(self) -> None:
        self._dead = True
        for task in (self._main, *self._tasks):
            task.cancel()
        await asyncio.gather(self._main, *self._tasks, return_exceptions=True)

    async def _run(self) -> None:
        while not self._dead:
            try:
                async with grpc.aio.insecure_channel(self._address) as channel:
                    await self._serve(GateStub(channel))
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                pass  # the gate is down
            except asyncio.CancelledError:
                if not self._dead:
                    raise
            self._serving.clear()
            await asyncio.sleep(0.05)

    async def _serve(self, stub: GateStub) -> None:
        call = stub.processAsync()  # type: ignore[call-arg]  # without an iterator: messages are written
        self._call = call
        start = pb.StartServingProto(connectionToken=self._token)
        if self._takes_batches:
            start.serviceDescriptor.methods["predict_batch"].output.type = "array Answer"
        await call.write(pb.ServiceToGateProto(startServing=start))
        while (message := await call.read()) is not grpc.aio.EOF:
            self._hear(message)

    def _hear(self, message: pb.GateToServiceProto) -> None:
        match message.WhichOneof("body"):
            case "predict" | "ext" | "batch":
                self._take(message)
            case "partialPredict":
                if message.partialPredict.start:
                    self._take(message)
            case _:
                self._serving.set()

    def _take(self, message: pb.GateToServiceProto) -> None:
        turn = Turn(self, message)
        self.turns.append(turn)
        self.asked.set()
        task = asyncio.create_task(self._play(turn))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(self, turn: Turn) -> None:
        await self.script(turn)
