"""Usage of the calls of one turn is written at once, and each call gets its answer."""

import asyncio

from mlpgateway.usage.spool import UsageSpool
from mlpgateway.warm.writes import TurnWrites
from mlplace_kit.errors import DomainError


class Spool(UsageSpool):
    def __init__(self) -> None:  # nothing is written
        self.written: list[bytes] = []

    def put(self, data: bytes) -> asyncio.Future[None]:
        self.written.append(data)
        done = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done


class Answered:
    def __init__(self, name: bytes, *, breaks: bool = False) -> None:
        self._name = name
        self._breaks = breaks
        self.seen: list[object] = []

    def record(self) -> bytes:
        return self._name

    def written(self, error: DomainError | None) -> None:
        if self._breaks:
            raise UnicodeEncodeError("latin-1", "\u2028", 0, 1, "a header that cannot be sent")
        self.seen.append(error)

    def fail_unexpectedly(self, error: BaseException) -> None:
        self.seen.append(type(error))


async def test_call_that_cannot_be_answered_keeps_no_other_from_its_answer() -> None:
    spool = Spool()
    writes = TurnWrites(spool)
    calls = [Answered(b"a"), Answered(b"b", breaks=True), Answered(b"c")]
    for call in calls:
        writes.add(call)
    await asyncio.sleep(0)
    assert spool.written == [b"abc"]
    assert [call.seen for call in calls] == [[None], [UnicodeEncodeError], [None]]
