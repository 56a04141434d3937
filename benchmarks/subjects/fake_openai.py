"""An OpenAI-compatible server with little cost: `python -m benchmarks.subjects.fake_openai PORT FRAMES`."""

import asyncio
import sys

import uvloop

from benchmarks.subjects import conversation
from benchmarks.subjects.echo_http import Echo

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\n%b\r\n\r\n"


class FakeOpenAI(Echo):
    def __init__(self, frames: int) -> None:
        super().__init__()
        answer = conversation.whole().encode()
        self._whole = _HEAD % (b"application/json", b"content-length: %d" % len(answer)) + answer
        events = [f"data: {part}\n\n".encode() for part in (*conversation.parts(frames), "[DONE]")]
        self._chunks = [b"%x\r\n%b\r\n" % (len(event), event) for event in events]

    def on_message_complete(self) -> None:
        if conversation.STREAMED.encode() not in self._body.replace(b" ", b""):
            self._transport.write(self._whole)
            return
        self._transport.write(_HEAD % (b"text/event-stream", b"transfer-encoding: chunked"))
        for chunk in self._chunks:
            self._transport.write(chunk)
        self._transport.write(b"0\r\n\r\n")


async def main(port: int, frames: int) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: FakeOpenAI(frames), "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1]), int(sys.argv[2])))
