"""A slot that another gate grants for one call: one message, and a stream that is open while the slot is taken."""

import grpc

from mlpgateway.call.transport import NotTakenError
from mlpgateway.delivery.remote_slots import Granted
from mlpgateway.instances.peers import messages
from mlpgateway.instances.peers.channel import LostError, read_from
from mlpgateway.instances.peers.messages import Failed


class PeerSlot:
    """Satisfies RemoteSlot. Keep a reference to it: the stream ends with the object."""

    def __init__(self, call: "grpc.aio.UnaryStreamCall[bytes, bytes]") -> None:
        self._call = call
        self._waits = True

    async def granted(self) -> Granted:
        try:
            data = await read_from(self._call)
        except LostError as lost:
            raise NotTakenError(lost.reason) from None
        match messages.slot_answer(data):
            case Failed() as failed:
                raise messages.error_of(failed)
            case granted:
                self._waits = False
                return granted

    def give_up(self) -> None:
        """Cancels the request if it still waits: the other gate cannot be reached any more."""
        if self._waits:
            self._call.cancel()

    def end(self) -> None:
        self._call.cancel()
