"""The trace span of one call. Its id goes to the instance and into the usage event.

While spans are not collected, the caller's own trace context is passed on unchanged.
"""

from typing import Final

from opentelemetry import trace
from opentelemetry.propagate import extract
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from mlpgateway.call.call import Call
from mlplace_runtime.telemetry import current

_tracer = trace.get_tracer("mlplace.gateway")
_MOST_STATUS = 128
SERVICE: Final = "mlpgateway"


class CallSpan:
    """The span, never made current: generators outlive contexts. `parent` is the trace parent for work of the call."""

    __slots__ = ("_span", "parent")

    def __init__(self, call: Call) -> None:
        self._span: Span | None = None
        self.parent = current.known_trace(call.trace_parent) or current.trace_parent()
        if current.collecting():
            context = extract({current.TRACE_PARENT: call.trace_parent}) if call.trace_parent else None
            self._span = _tracer.start_span(f"call {call.operation.value}", context=context, kind=SpanKind.CLIENT)
            self.parent = current.parent_of(self._span)

    def set_parties(self, *, model_id: int, caller_account_id: int) -> None:
        if self._span is not None:
            self._span.set_attribute("mlp.model_id", model_id)
            self._span.set_attribute("mlp.caller_account_id", caller_account_id)

    def refused(self, code: str) -> None:
        if self._span is not None:
            self._span.set_status(Status(StatusCode.ERROR, code[:_MOST_STATUS]))

    def end(self) -> None:
        if self._span is not None:
            self._span.end()
