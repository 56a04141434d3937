"""Messages of requests that differ only in their number, their data and their ids: the rest is serialised once."""

from typing import Final

from msgspec.structs import replace

from mlpgateway.call.call import Payload
from mlpgateway.call.headers import TRACE_PARENT
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.instances.grpc import wire
from mlpgateway.instances.grpc.encoding import field, varint
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto import headers as names

_KEY, _VALUE = 1, 2  # the fields of an entry of a map


def _tag(number: int) -> bytes:
    """Returns the tag of a field with a length: a text, bytes or a message."""
    return varint(number << 3 | 2)


_NUMBER: Final = varint(pb.GateToServiceProto.REQUESTID_FIELD_NUMBER << 3)
_PREDICT: Final = _tag(pb.GateToServiceProto.PREDICT_FIELD_NUMBER)
_DATA: Final = _tag(pb.PredictRequestProto.DATA_FIELD_NUMBER)
_JSON: Final = _tag(pb.PayloadProto.JSON_FIELD_NUMBER)
_HEADERS: Final = _tag(pb.GateToServiceProto.HEADERS_FIELD_NUMBER)
_REQUEST_ID: Final = _tag(_KEY) + varint(len(names.REQUEST_ID)) + names.REQUEST_ID.encode() + _tag(_VALUE)
_TRACE: Final = _tag(_KEY) + varint(len(TRACE_PARENT)) + TRACE_PARENT.encode() + _tag(_VALUE)


class PreparedPredict:
    """The message of a predict request without its number, data, request id and trace parent."""

    __slots__ = ("_after", "_config", "_request", "_rest")

    def __init__(self, request: InstanceRequest, rest: bytes | None = None) -> None:
        """`request.headers` are the constant ones, `rest` these serialised, if they are. Its data is not used."""
        config = wire.config_to_wire(request.config).SerializeToString()
        self._request = request
        self._config = b"".join(field(pb.PredictRequestProto.CONFIG_FIELD_NUMBER, [config]))
        self._rest = pb.GateToServiceProto(headers=request.headers).SerializeToString() if rest is None else rest
        self._after: dict[int | None, bytes] = {}

    def with_config(self, config: Payload) -> "PreparedPredict":
        """Returns the same request with another config."""
        return PreparedPredict(replace(self._request, config=config), self._rest)

    def message(
        self, number: int, text: bytes, *, request_id: str, trace_parent: str | None, window: int | None
    ) -> bytes:
        """Returns the same message as `request_to_wire`. `text` is the data as JSON in UTF-8."""
        after = self._after.get(window)
        if after is None:
            after = self._after[window] = self._rest + pb.GateToServiceProto(window=window).SerializeToString()
        json = _JSON + varint(len(text))
        data = _DATA + varint(len(json) + len(text)) + json
        predict = _PREDICT + varint(len(data) + len(text) + len(self._config)) + data
        parts = [_NUMBER, varint(number), predict, text, self._config, after, *_header(_REQUEST_ID, request_id)]
        if trace_parent is not None:
            parts += _header(_TRACE, trace_parent)
        return b"".join(parts)


def _header(named: bytes, value: str) -> tuple[bytes, ...]:
    """Returns an entry of the headers. `named` is the entry up to the length of its value."""
    encoded = value.encode()
    size = varint(len(encoded))
    return _HEADERS, varint(len(named) + len(size) + len(encoded)), named, size, encoded
