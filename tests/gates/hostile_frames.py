"""Frames of a hostile instance: frames of the protocol with random mutations, the same in each run."""

import random
from collections.abc import Iterator

from google.protobuf.message import DecodeError

from mlplace_gateproto import gate_pb2 as pb

_NUMBERS = (*range(13), -1, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63))
_ENDING = {None, "startServing", "stopServing"}


def conversations(seed: int, *, number: int, length: int) -> Iterator[list[bytes]]:
    """Conversations of `length` frames that the gate must tolerate, and one more that ends the stream."""
    chance = random.Random(seed)
    valid = [message.SerializeToString() for message in _valid(chance)]
    for _ in range(number):
        borne: list[bytes] = []
        last = b"\xff"
        while len(borne) < length:
            frame = _mutated(chance, valid)
            if _is_borne(frame):
                borne.append(frame)
            else:
                last = frame
        yield [*borne, last]


def _is_borne(frame: bytes) -> bool:
    try:
        return pb.ServiceToGateProto.FromString(frame).WhichOneof("body") not in _ENDING
    except DecodeError:
        return False


def _mutated(chance: random.Random, valid: list[bytes]) -> bytes:
    frame = bytearray(chance.choice(valid))
    for _ in range(chance.choice((0, 0, 1, 1, 2, 3))):
        place = chance.randrange(len(frame) + 1)
        match chance.randrange(5):
            case 0 if place < len(frame):
                frame[place] ^= 1 << chance.randrange(8)
            case 1:
                del frame[place : place + chance.randrange(1, 8)]
            case 2:
                frame[place:place] = chance.randbytes(chance.randrange(1, 8))
            case 3:
                frame[place:place] = frame[place : place + chance.randrange(1, 40)]
            case _:
                frame += chance.choice(valid)  # fields of both; later ones override
    return bytes(frame)


def _valid(chance: random.Random) -> Iterator[pb.ServiceToGateProto]:
    """One message of each kind for each known and unknown request number."""
    for number in _NUMBERS:
        stolen = pb.PayloadProto(json='{"number": 1, "part": 0, "stolen": true}')
        headers = {"Z-requestId": "r", "Z-custom-billing": "9" * chance.randrange(1, 30), "MLP-BILLING-KEY": "k"}
        yield pb.ServiceToGateProto(requestId=number, predict=pb.PredictResponseProto(data=stolen), headers=headers)
        for start, finish in ((True, False), (False, False), (False, True), (True, True)):
            part = pb.PartialPredictResponseProto(data=stolen, start=start, finish=finish)
            yield pb.ServiceToGateProto(requestId=number, partialPredict=part)
        yield pb.ServiceToGateProto(requestId=number, ext=pb.ExtendedResponseProto(data=stolen))
        error = pb.ApiErrorProto(code="stolen", message="${a}${b}", args={"a": "x" * 100, "self": "y"})
        yield pb.ServiceToGateProto(requestId=number, error=error, headers={"x" * 50: "y" * 500})
        items = [
            pb.BatchPayloadResponseProto(requestId=place, predict=pb.PredictResponseProto(data=stolen))
            for place in chance.sample(_NUMBERS, 4)
        ]
        yield pb.ServiceToGateProto(requestId=number, batch=pb.BatchResponseProto(data=items))
        yield pb.ServiceToGateProto(requestId=number, fit=pb.FitResponseProto())
        yield pb.ServiceToGateProto(requestId=number, status=pb.StatusResponseProto())
    yield pb.ServiceToGateProto(heartBeat=pb.HeartBeatProto(status="x" * 200, interval=-1))
    yield pb.ServiceToGateProto(stopServing=pb.StopServingProto())
    yield pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken="x"))
