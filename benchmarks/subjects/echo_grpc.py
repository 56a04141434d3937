"""A unary gRPC method that answers with the bytes it got, and the gate's `process`, which answers with the data.

`python -m benchmarks.subjects.echo_grpc PORT`.
"""

import asyncio
import sys

import grpc
import grpc.aio
import uvloop

from mlplace_gateproto import gate_pb2 as pb


async def echo(request: bytes, _context: "grpc.aio.ServicerContext[bytes, bytes]") -> bytes:
    return request


async def process(
    request: pb.ClientRequestProto, _context: "grpc.aio.ServicerContext[pb.ClientRequestProto, pb.ClientResponseProto]"
) -> pb.ClientResponseProto:
    return pb.ClientResponseProto(predict=pb.PredictResponseProto(data=request.predict.data))


async def main(port: int) -> None:
    server = grpc.aio.server()
    handlers = {"echo": grpc.unary_unary_rpc_method_handler(echo)}
    gate = grpc.unary_unary_rpc_method_handler(
        process, pb.ClientRequestProto.FromString, pb.ClientResponseProto.SerializeToString
    )
    server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler("benchmarks.Echo", handlers),
            grpc.method_handlers_generic_handler("com.mlp.gate.Gate", {"process": gate}),
        )
    )
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1])))
