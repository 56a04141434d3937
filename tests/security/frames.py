"""Generated conversations of a hostile peer: valid frames at the wrong time, and invalid frames."""

import os
from dataclasses import dataclass
from itertools import chain

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from mlplace_gateproto import gate_pb2 as pb

FUZZ = os.environ.get("MLP_FUZZ") == "1"
"""With `make fuzz`: more examples, and other ones each time."""

numbers = st.one_of(st.integers(0, 8), st.sampled_from([-1, 2**31, 2**62, 2**63 - 1, -(2**63)]))
short = st.text(max_size=20)
payloads = st.one_of(
    st.builds(pb.PayloadProto, json=short),
    st.builds(pb.PayloadProto, protobuf=st.binary(max_size=50)),
    st.just(pb.PayloadProto()),
    st.just(pb.PayloadProto(json="[" * 5000)),
)
headers = st.dictionaries(
    st.one_of(short, st.sampled_from(["Z-requestId", "Z-custom-billing", "MLP-API-KEY"])), short, max_size=3
)
errors = st.builds(
    pb.ApiErrorProto,
    code=short, message=st.one_of(short, st.just("${a}" * 2000)),
    args=st.dictionaries(st.one_of(short, st.just("a")), short, max_size=3),
    status=st.sampled_from([0, 400, 404, 500]),
)  # fmt: skip
_batched = st.lists(
    st.builds(
        pb.BatchPayloadResponseProto, requestId=numbers, predict=st.builds(pb.PredictResponseProto, data=payloads)
    ),
    max_size=4,
)


def bounded(ci: int, fuzz: int) -> settings:
    """Number of examples; in CI they are the same in each run."""
    return settings(
        max_examples=fuzz if FUZZ else ci,
        derandomize=not FUZZ,
        deadline=None,
        database=None,
        print_blob=True,
        phases=list(Phase) if FUZZ else [Phase.explicit, Phase.generate],
        suppress_health_check=(
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.filter_too_much,
            HealthCheck.function_scoped_fixture,
        ),
    )


@dataclass(frozen=True)
class Flood:
    """The same frame many times."""

    frame: bytes
    times: int

    @property
    def frames(self) -> list[bytes]:
        return [self.frame] * self.times


def _frames(
    messages: st.SearchStrategy[pb.ServiceToGateProto] | st.SearchStrategy[pb.GateToServiceProto],
) -> st.SearchStrategy[list[bytes]]:
    """Whole, truncated and invalid frames."""
    whole = messages.map(lambda message: message.SerializeToString())
    torn = st.builds(lambda frame, at: frame[: at % (len(frame) + 1)], whole, st.integers(0, 500))
    flipped = st.builds(_flip, whole, st.integers(0, 5000))
    one = st.one_of(whole, whole, whole, torn, flipped, st.binary(max_size=60))
    many = st.builds(Flood, whole, st.integers(50, 400)).map(lambda flood: flood.frames)
    return st.lists(st.one_of(one.map(lambda frame: [frame]), many), max_size=12).map(
        lambda parts: list(chain.from_iterable(parts))
    )


def _flip(frame: bytes, at: int) -> bytes:
    if not frame:
        return frame
    place = at % len(frame)
    return frame[:place] + bytes([frame[place] ^ (1 << (at % 8))]) + frame[place + 1 :]


_answers = st.one_of(
    st.builds(
        pb.ServiceToGateProto,
        requestId=numbers,
        predict=st.builds(pb.PredictResponseProto, data=payloads),
        headers=headers,
    ),
    st.builds(
        pb.ServiceToGateProto,
        requestId=numbers,
        partialPredict=st.builds(
            pb.PartialPredictResponseProto, data=payloads, start=st.booleans(), finish=st.booleans()
        ),
        headers=headers,
    ),
    st.builds(pb.ServiceToGateProto, requestId=numbers, ext=st.builds(pb.ExtendedResponseProto, data=payloads)),
    st.builds(pb.ServiceToGateProto, requestId=numbers, error=errors, headers=headers),
    st.builds(pb.ServiceToGateProto, requestId=numbers, batch=st.builds(pb.BatchResponseProto, data=_batched)),
)
_upkeep = st.one_of(
    st.builds(pb.ServiceToGateProto, heartBeat=st.builds(pb.HeartBeatProto, status=short, interval=st.integers(-5, 5))),
    st.just(pb.ServiceToGateProto(stopServing=pb.StopServingProto(reason="x"))),
    st.just(pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken="again"))),
    st.just(pb.ServiceToGateProto(fitStatus=pb.FitStatusProto(percentage=1000))),
    st.just(pb.ServiceToGateProto()),
)
of_instances = _frames(st.one_of(_answers, _answers, _upkeep))
"""Messages of an instance after its first one."""

_requests = st.one_of(
    st.builds(
        pb.GateToServiceProto,
        requestId=numbers,
        predict=st.builds(pb.PredictRequestProto, data=payloads, config=payloads),
        headers=headers,
    ),
    st.builds(
        pb.GateToServiceProto,
        requestId=numbers,
        partialPredict=st.builds(
            pb.PartialPredictRequestProto, data=payloads, start=st.booleans(), finish=st.booleans()
        ),
        headers=headers,
    ),
    st.builds(
        pb.GateToServiceProto,
        requestId=numbers,
        ext=st.builds(pb.ExtendedRequestProto, methodName=short, params=st.dictionaries(short, payloads, max_size=2)),
    ),
    st.builds(
        pb.GateToServiceProto,
        requestId=numbers,
        batch=st.builds(
            pb.BatchRequestProto,
            data=st.lists(st.builds(pb.BatchPayloadProto, requestId=numbers, data=payloads), max_size=4),
        ),
    ),
    st.builds(pb.GateToServiceProto, requestId=numbers, status=st.just(pb.StatusRequestProto())),
    st.builds(
        pb.GateToServiceProto, requestId=numbers, fit=st.builds(pb.FitRequestProto, trainData=payloads, modelDir=short)
    ),
    st.builds(pb.GateToServiceProto, requestId=numbers, error=errors),
)
_governing = st.one_of(
    st.builds(
        pb.GateToServiceProto,
        heartBeat=st.builds(
            pb.HeartBeatProto, status=short, interval=st.sampled_from([-(2**31), -1, 0, 1, 2, 2**31 - 1])
        ),
    ),
    st.builds(pb.GateToServiceProto, serviceInfo=st.builds(pb.ServiceInfoProto, modelName=short, authToken=short)),
    st.just(pb.GateToServiceProto(cluster=pb.ClusterUpdateProto())),
    st.just(pb.GateToServiceProto()),
)
of_gates = _frames(st.one_of(_requests, _requests, _governing))
"""Messages of a gate. They name no other gates, so that the conversation stays with this one."""
