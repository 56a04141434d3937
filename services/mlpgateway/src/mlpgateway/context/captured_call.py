"""References to a call's request and answer, for the archive. The archive writer does the work later."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.context import size_of
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.policy.meter import Meter
from mlplace_contracts.events import ModelArchive, ModelChanged
from mlplace_kit.errors import DomainError

_LEFT: Final = 499
"""The caller left before the end of the answer. Proxies log this status, too."""


class Takes(Protocol):
    def take(self, capture: "CapturedCall") -> None:
        """Accepts the captured call. Never waits, never raises."""
        ...


@dataclass(slots=True, eq=False)
class CapturedCall:
    """One archived call. A request or an answer larger than `most_bytes` is omitted instead of kept in part."""

    model: ModelChanged
    rule: ModelArchive
    request_id: str
    caller_account_id: int
    request: InstanceRequest
    at: datetime
    most_bytes: int
    writer: Takes
    id: uuid.UUID = field(default_factory=uuid.uuid4)
    began: float = field(default_factory=time.perf_counter)
    parts: list[Payload] = field(default_factory=list[Payload])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    first_headers: Mapping[str, str] | None = None
    answer_bytes: int = 0
    seconds: float = 0.0
    instance_id: int | None = None
    cached: bool = False
    status: int = 200
    error: DomainError | None = None

    @property
    def request_bytes(self) -> int:
        request = self.request
        return sum(map(size_of, (request.data, request.config, *request.params.values())))

    @property
    def request_omitted(self) -> bool:
        return self.request_bytes > self.most_bytes

    @property
    def answer_omitted(self) -> bool:
        return self.answer_bytes > self.most_bytes

    @property
    def size(self) -> int:
        """Approximate bytes in memory, to bound them."""
        answer = 0 if self.answer_omitted else self.answer_bytes
        return self.request_bytes + answer + 2048

    def read(self, answer: Answer) -> None:
        if self.first_headers is None:
            self.first_headers = answer.headers
        self.headers = {**self.first_headers, **answer.headers}
        payloads = (*answer.before, answer.payload)
        self.answer_bytes += sum(map(size_of, payloads))
        if self.answer_omitted:
            self.parts.clear()
        else:
            self.parts.extend(payloads)

    def end(self, error: DomainError | None, *, whole: bool, meter: Meter) -> None:
        """Hands the call to the writer. `error` ended the call, if any; `whole`: the caller read the whole answer."""
        self.seconds = time.perf_counter() - self.began
        self.instance_id, self.cached = meter.instance_id, meter.cached
        if error is not None:
            self.status, self.error = error.status, error
        elif not whole:
            self.status = _LEFT
        self.writer.take(self)
