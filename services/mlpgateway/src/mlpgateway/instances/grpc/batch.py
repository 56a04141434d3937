"""Several requests in one message to an instance, and whose answer is whose."""

from collections.abc import Callable, Mapping, Sequence

from mlpgateway.call.call import Answer, Operation
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.errors.gate import UnexpectedAnswer
from mlpgateway.instances.grpc import wire
from mlpgateway.instances.grpc.exchange import InstanceCall
from mlpgateway.instances.grpc.metrics import ANSWERS_DROPPED
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import DomainError


class Batch:
    """Ids of its requests mean something within this batch only: an instance cannot name a request of any other.

    Ends when all its requests have ended, each by its answer, an error, or its caller's leaving.
    """

    __slots__ = ("_forget", "_members", "number", "settled")

    def __init__(self, number: int, count: int, forget: Callable[[int], None]) -> None:
        self.number = number
        # Whether the instance itself has ended it.
        self.settled = False
        self._forget = forget
        self._members = {place: InstanceCall(place, Operation.PREDICT, self._ended) for place in range(1, count + 1)}

    @property
    def exchanges(self) -> Sequence[InstanceCall]:
        """In the order of the requests."""
        return list(self._members.values())

    def answer(self, response: pb.BatchResponseProto) -> None:
        """What is answered twice, or was never asked, is dropped; what is not answered has failed."""
        self.settled = True
        for item in response.data:
            exchange = self._members.get(item.requestId)
            if exchange is None:
                ANSWERS_DROPPED.labels("batch").inc()
                continue
            match item.WhichOneof("body"):
                case "predict":
                    payload = wire.payload_from_wire(item.predict.data)
                    exchange.deliver(Answer(payload, dict(item.headers)), item.ByteSize())
                case "error":
                    exchange.fail(wire.error_from_wire(item.error, dict(item.headers)))
                case _:
                    exchange.fail(UnexpectedAnswer(operation="batch", kind="an empty item"))
        self.fail(lambda: UnexpectedAnswer(operation="batch", kind="no answer to one of its requests"))

    def fail(self, failure: Callable[[], DomainError], *, settled: bool = False) -> None:
        """Each of those that are left, with an error of its own. `settled`: the instance said so itself."""
        self.settled = self.settled or settled
        for exchange in list(self._members.values()):
            exchange.fail(failure())

    def _ended(self, place: int) -> None:
        self._members.pop(place, None)
        if not self._members:
            self._forget(self.number)


def batch_to_wire(number: int, requests: Sequence[InstanceRequest]) -> pb.GateToServiceProto:
    """All have the config of the first. Headers are those that all of them share: others are of one caller."""
    data = [
        pb.BatchPayloadProto(requestId=place, data=wire.payload_to_wire(request.data or wire.EMPTY_CONFIG))
        for place, request in enumerate(requests, 1)
    ]
    batch = pb.BatchRequestProto(data=data, config=wire.config_to_wire(requests[0].config))
    return pb.GateToServiceProto(requestId=number, batch=batch, headers=_shared(requests))


def _shared(requests: Sequence[InstanceRequest]) -> Mapping[str, str]:
    first, *rest = (request.headers for request in requests)
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in rest)}
