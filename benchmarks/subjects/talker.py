"""A chat model at one or more gates: answers whole, or in FRAMES parts, one each MILLISECONDS (0: all at once).

`python -m benchmarks.subjects.talker FRAMES MILLISECONDS GATE_PORT...`, with its token in MLP_SERVICE_TOKEN. Parts of
streams that began at different times are spread over the interval; parts due at the same time are written together. A
request `{"give": N}` gets one text of N bytes.
"""

import asyncio
import os
import sys
from collections import defaultdict

import uvloop

from benchmarks.subjects import conversation
from benchmarks.subjects.gate_wire import GateWire, connected
from mlplace_gateproto import gate_pb2 as pb

_SLOTS = 10
_GIVE = '{"give": '


class Talk:
    """The parts of one answer, each written when it is due."""

    __slots__ = ("_frames", "_next", "_request_id", "wire")

    def __init__(self, wire: GateWire, request_id: int, frames: int) -> None:
        self.wire = wire
        self._request_id = request_id
        self._frames = conversation.parts(frames)
        self._next = 0

    @property
    def over(self) -> bool:
        return self._next == len(self._frames)

    def part(self) -> pb.ServiceToGateProto:
        number = self._next
        self._next += 1
        data = pb.PayloadProto(json=self._frames[number])
        part = pb.PartialPredictResponseProto(data=data, start=number == 0, finish=self.over)
        return pb.ServiceToGateProto(requestId=self._request_id, partialPredict=part)


class Talker:
    def __init__(self, frames: int, pace: float) -> None:
        self._frames = frames
        self._pace = pace
        self._slots: list[list[Talk]] = [[] for _ in range(_SLOTS)]
        self._now = 0

    def hear(self, wire: GateWire, message: pb.GateToServiceProto) -> None:
        if message.WhichOneof("body") != "predict":
            return
        text = message.predict.data.json
        if text.startswith(_GIVE):
            self._give(wire, message.requestId, int(text.removeprefix(_GIVE).removesuffix("}")))
            return
        if conversation.STREAMED not in text.replace(" ", ""):
            predict = pb.PredictResponseProto(data=pb.PayloadProto(json=conversation.whole()))
            wire.say(pb.ServiceToGateProto(requestId=message.requestId, predict=predict))
            return
        talk = Talk(wire, message.requestId, self._frames)
        if self._pace:
            wire.say(talk.part())
            self._slots[self._now % _SLOTS - 1].append(talk)  # the turn that is the furthest away
        else:
            wire.say(*(talk.part() for _ in range(self._frames)))

    def _give(self, wire: GateWire, request_id: int, size: int) -> None:
        """A text of `size` bytes."""
        data = pb.PayloadProto(json=f'"{"x" * (size - 2)}"')
        wire.say(pb.ServiceToGateProto(requestId=request_id, predict=pb.PredictResponseProto(data=data)))

    async def run(self) -> None:
        """Run each slot of the interval in turn. Catch up at once after a late turn."""
        if not self._pace:
            return
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            self._turn(self._slots[self._now % _SLOTS])
            self._now += 1
            due += self._pace / _SLOTS
            await asyncio.sleep(max(0.0, due - loop.time()))

    def _turn(self, slot: list[Talk]) -> None:
        written: defaultdict[GateWire, list[pb.ServiceToGateProto]] = defaultdict(list)
        for talk in slot:
            written[talk.wire].append(talk.part())
        slot[:] = [talk for talk in slot if not talk.over]
        for wire, parts in written.items():
            wire.say(*parts)


async def main(frames: int, milliseconds: int, ports: list[int], token: str) -> None:
    talker = Talker(frames, milliseconds / 1000)
    wires = [await connected(port, token, talker.hear) for port in ports]
    talking = asyncio.create_task(talker.run())
    await asyncio.wait([wire.gone for wire in wires])
    talking.cancel()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        arguments = [int(argument) for argument in sys.argv[1:]]
        runner.run(main(arguments[0], arguments[1], arguments[2:], os.environ["MLP_SERVICE_TOKEN"]))
