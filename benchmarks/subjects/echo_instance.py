"""An instance that answers each request with its data, on the bare gate protocol to keep its own cost low.

It accepts bundles, and sends answers that are ready at the same time as a bundle, like the SDK.

`python -m benchmarks.subjects.echo_instance GATE_PORT`, with its token in MLP_SERVICE_TOKEN.
"""

import asyncio
import os
import sys

import grpc.aio
import uvloop

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub


async def main(port: int, token: str) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = GateStub(channel).processAsync()  # pyright: ignore[reportCallIssue]  messages are written one by one
        start = pb.StartServingProto(connectionToken=token, bundles=True)
        await call.write(pb.ServiceToGateProto(startServing=start))
        while isinstance(message := await call.read(), pb.GateToServiceProto):
            each = message.bundle.messages if message.HasField("bundle") else [message]
            answers = [answer for one in each if (answer := answer_to(one)) is not None]
            if len(answers) > 1:
                await call.write(pb.ServiceToGateProto(bundle=pb.BundleProto(messages=answers)))
            elif answers:
                await call.write(answers[0])
            if any(one.HasField("stopServing") for one in each):
                await call.done_writing()


def answer_to(message: pb.GateToServiceProto) -> pb.ServiceToGateProto | None:
    match message.WhichOneof("body"):
        case "predict":
            answer = pb.PredictResponseProto(data=message.predict.data)
            return pb.ServiceToGateProto(requestId=message.requestId, predict=answer)
        case "heartBeat":
            return pb.ServiceToGateProto(heartBeat=message.heartBeat)
        case _:
            return None


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1]), os.environ["MLP_SERVICE_TOKEN"]))
