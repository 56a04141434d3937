"""Batches: several requests in one message to an instance, and the assignment of its answers."""

from collections.abc import Callable, Mapping, Sequence

from mlpgateway.call.call import Answer, Operation
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.errors.gate import UnexpectedAnswer
from mlpgateway.instances.grpc import wire
from mlpgateway.instances.grpc.exchange import InstanceCall
from mlpgateway.instances.grpc.metrics import ANSWERS_DROPPED
from mlpgateway.instances.json_answers import problem_of
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import DomainError


class Batch:
    """One batch. Its request ids are valid only within it, so an instance cannot answer a request of another batch.

    The batch ends when each of its requests has ended: by an answer, an error, or because its caller left.
    """

    __slots__ = ("_forget", "_members", "number", "settled")

    def __init__(self, number: int, count: int, forget: Callable[[int], None]) -> None:
        self.number = number
        # True when the instance itself has ended the batch.
        self.settled = False
        self._forget = forget
        self._members = {place: InstanceCall(place, Operation.PREDICT, self._ended) for place in range(1, count + 1)}

    @property
    def exchanges(self) -> Sequence[InstanceCall]:
        """In the order of the requests."""
        return list(self._members.values())

    def answer(self, response: pb.BatchResponseProto) -> None:
        """Assigns the answers. Repeated or unknown ones are dropped; requests without an answer fail."""
        self.settled = True
        for item in response.data:
            exchange = self._members.get(item.requestId)
            if exchange is None:
                ANSWERS_DROPPED.labels("batch").inc()
                continue
            match item.WhichOneof("body"):
                case "predict":
                    payload = wire.answered_payload(item.predict.data)
                    if (problem := problem_of(payload, part=False)) is not None:
                        exchange.fail(problem)
                    else:
                        exchange.deliver(Answer(payload, dict(item.headers)), item.ByteSize())
                case "error":
                    exchange.fail(wire.error_from_wire(item.error, dict(item.headers)))
                case _:
                    exchange.fail(UnexpectedAnswer(operation="batch", kind="an empty item"))
        self.fail(lambda: UnexpectedAnswer(operation="batch", kind="no answer to one of its requests"))

    def fail(self, failure: Callable[[], DomainError], *, settled: bool = False) -> None:
        """Fails each open request with its own error. `settled`: the instance itself reported the failure."""
        self.settled = self.settled or settled
        for exchange in list(self._members.values()):
            exchange.fail(failure())

    def _ended(self, place: int) -> None:
        self._members.pop(place, None)
        if not self._members:
            self._forget(self.number)


def batch_to_wire(number: int, requests: Sequence[InstanceRequest]) -> pb.GateToServiceProto:
    """Returns the message. All requests share one config; only headers that are equal in all of them are sent."""
    data = [
        pb.BatchPayloadProto(requestId=place, data=wire.payload_to_wire(request.data or wire.EMPTY_CONFIG))
        for place, request in enumerate(requests, 1)
    ]
    batch = pb.BatchRequestProto(data=data, config=wire.config_to_wire(requests[0].config))
    return pb.GateToServiceProto(requestId=number, batch=batch, headers=_shared(requests))


def _shared(requests: Sequence[InstanceRequest]) -> Mapping[str, str]:
    first, *rest = (request.headers for request in requests)
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in rest)}
