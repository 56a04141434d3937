"""One request of the gate and its answers."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping

from mlplace.context import Context
from mlplace.errors import MlpError, to_proto
from mlplace_gateproto import gate_pb2, headers
from mlplace_gateproto.flow import SendWindow

Send = Callable[[gate_pb2.ServiceToGateProto], Awaitable[None]]


class Exchange:
    """Holds the request id within the stream, the start time and the context of one call."""

    def __init__(self, message: gate_pb2.GateToServiceProto, send: Send) -> None:
        self.message = message
        self.request_id = message.requestId
        given = dict(message.headers)
        self.context = Context(given.get(headers.REQUEST_ID) or str(message.requestId), given)
        self._send = send
        self._parts = SendWindow(message.window if message.window > 0 else None)
        self._started = time.perf_counter()

    async def predict(self, data: gate_pb2.PayloadProto) -> None:
        answer = gate_pb2.PredictResponseProto(data=data)
        await self._answer(gate_pb2.ServiceToGateProto(predict=answer), self._echoed_and_own())

    async def part(
        self, data: gate_pb2.PayloadProto | None, own: Mapping[str, str], *, start: bool, finish: bool
    ) -> None:
        """Sends one part of a streamed answer; ``own`` are the headers that the author set for it."""
        part = gate_pb2.PartialPredictResponseProto(data=data, start=start or None, finish=finish or None)
        answer = gate_pb2.ServiceToGateProto(partialPredict=part)
        await self._parts.room()
        self._complete(answer, {**self._echoed(), **own})
        # Counted before sending: if a full stream delays the send, the gate may acknowledge the part first.
        self._parts.sent(answer.ByteSize())
        await self._send(answer)

    def taken(self, total: int) -> None:
        """Notes that the gate has read ``total`` bytes of the answer's parts."""
        self._parts.taken(total)

    def cancel(self) -> None:
        """Marks the call as cancelled: nobody waits for the answer."""
        self.context.cancelled = True

    async def ext(self, data: gate_pb2.PayloadProto) -> None:
        await self._answer(
            gate_pb2.ServiceToGateProto(ext=gate_pb2.ExtendedResponseProto(data=data)),
            self.context.take_answer_headers(),
        )

    async def batch(self, items: list[gate_pb2.BatchPayloadResponseProto]) -> None:
        await self._answer(
            gate_pb2.ServiceToGateProto(batch=gate_pb2.BatchResponseProto(data=items)),
            self.context.take_answer_headers(),
        )

    async def fit(self) -> None:
        await self._answer(gate_pb2.ServiceToGateProto(fit=gate_pb2.FitResponseProto()), self._echoed_and_own())

    async def status(self, status: gate_pb2.StatusResponseProto) -> None:
        await self._answer(gate_pb2.ServiceToGateProto(status=status))

    async def fail(self, error: MlpError) -> None:
        await self._answer(gate_pb2.ServiceToGateProto(error=to_proto(error)), headers_of(error))

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for the answer: neither the gate nor the end of the process has cancelled the call.

        Ask in the task that answers the call.
        """
        task = asyncio.current_task()
        return not self.context.cancelled and (task is None or not task.cancelling())

    def input_taken(self, total: int) -> gate_pb2.ServiceToGateProto:
        """Returns the message that ``total`` bytes of the request's parts were read."""
        return gate_pb2.ServiceToGateProto(requestId=self.request_id, flow=gate_pb2.FlowProto(taken=total))

    def fit_status(self, percentage: int) -> gate_pb2.ServiceToGateProto:
        status = gate_pb2.FitStatusProto(percentage=percentage)
        return gate_pb2.ServiceToGateProto(requestId=self.request_id, fitStatus=status)

    def _echoed(self) -> dict[str, str]:
        """Returns the headers that answers to predict and fit echo; errors, ext and batch answers do not have them."""
        echoed = {headers.REQUEST_ID: self.context.request_id}
        if self.context.billing_key:
            echoed[headers.BILLING_KEY] = self.context.billing_key
        return echoed

    def _echoed_and_own(self) -> dict[str, str]:
        return {**self._echoed(), **self.context.take_answer_headers()}

    async def _answer(self, answer: gate_pb2.ServiceToGateProto, more: Mapping[str, str] | None = None) -> None:
        self._complete(answer, more or {})
        await self._send(answer)

    def _complete(self, answer: gate_pb2.ServiceToGateProto, more: Mapping[str, str]) -> None:
        answer.requestId = self.request_id
        answer.headers.update(more)
        answer.headers[headers.SERVER_TIME] = str(round((time.perf_counter() - self._started) * 1000))


def headers_of(error: MlpError) -> dict[str, str]:
    """Returns the headers of an answer that is this error."""
    return {} if error.retry_after is None else {headers.RETRY_AFTER: str(max(1, math.ceil(error.retry_after)))}
