"""What an instance says of itself when it connects, made safe to keep."""

import uuid

from google.protobuf import json_format

from mlpgateway.call.ports import Connection, InstanceEntry
from mlplace_gateproto import gate_pb2 as pb

_MAX_DESCRIPTOR = 1024 * 1024
_MAX_HOSTNAME = 255
_MAX_IMAGE = 1024
_BATCH = "predict_batch"
_OF_JAVA = {"fit", "predict"}
"""What services of the public SDK for Java list, whatever else they implement."""


def connection_of(entry: InstanceEntry, start: pb.StartServingProto, *, gate: str) -> Connection:
    return Connection(
        stream_id=uuid.uuid4(),
        entry=entry,
        gate=gate,
        hostname=_text(start.hostname, _MAX_HOSTNAME),
        sdk_version=start.version,
        image_name=_text(start.image, _MAX_IMAGE),
        takes_batches=_takes_batches(start.serviceDescriptor),
        takes_cancels=start.cancels,
        takes_bundles=start.bundles,
        window=start.window if start.window > 0 else None,
        descriptor_json=_descriptor_json(start),
    )


def _takes_batches(descriptor: pb.ServiceDescriptorProto) -> bool:
    """A service that turns out not to take any refuses the first one, whose calls go alone then."""
    if set(descriptor.methods) == _OF_JAVA:
        return True
    return _BATCH in descriptor.methods and descriptor.methods[_BATCH].HasField("output")


def _descriptor_json(start: pb.StartServingProto) -> str | None:
    """None when there is none, or one that cannot be stored (too large, or with NUL, which PostgreSQL refuses)."""
    descriptor = start.serviceDescriptor
    if not start.HasField("serviceDescriptor") or descriptor.ByteSize() > _MAX_DESCRIPTOR:
        return None
    # A process that reconnects lists methods it made up from earlier requests; those have no output.
    for name in [name for name, method in descriptor.methods.items() if not method.HasField("output")]:
        del descriptor.methods[name]
    text = json_format.MessageToJson(descriptor, indent=None, ensure_ascii=False, sort_keys=True)
    return None if "\\u0000" in text or len(text) > _MAX_DESCRIPTOR else text


def _text(value: str, limit: int) -> str:
    return value.replace("\x00", "")[:limit]
