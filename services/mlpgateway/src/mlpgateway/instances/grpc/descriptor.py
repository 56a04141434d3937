"""What an instance reports about itself when it connects, limited and cleaned for storage."""

import uuid

from google.protobuf import json_format

from mlpgateway.call.ports import ConnectedInstance, InstanceEntry
from mlpgateway.call.stored_text import storable
from mlplace_gateproto import gate_pb2 as pb

_MAX_DESCRIPTOR = 1024 * 1024
_MAX_HOSTNAME = 255
_MAX_IMAGE = 1024
_BATCH = "predict_batch"
_OF_JAVA = {"fit", "predict"}
"""The methods that models of the public Java SDK list, whatever else they implement."""


def connection_of(entry: InstanceEntry, start: pb.StartServingProto, *, gate: str) -> ConnectedInstance:
    return ConnectedInstance(
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
    """Returns whether to send batches.

    A model that does not take any refuses the first, and its calls then go alone.
    """
    if set(descriptor.methods) == _OF_JAVA:
        return True
    return _BATCH in descriptor.methods and descriptor.methods[_BATCH].HasField("output")


def _descriptor_json(start: pb.StartServingProto) -> str | None:
    """Returns the descriptor as JSON; None when there is none or when it is too large or PostgreSQL cannot store it."""
    descriptor = start.serviceDescriptor
    if not start.HasField("serviceDescriptor") or descriptor.ByteSize() > _MAX_DESCRIPTOR:
        return None
    # A process that reconnects lists methods that it derived from earlier requests; those have no output.
    for name in [name for name, method in descriptor.methods.items() if not method.HasField("output")]:
        del descriptor.methods[name]
    text = json_format.MessageToJson(descriptor, indent=None, ensure_ascii=False, sort_keys=True)
    return None if "\\u0000" in text or len(text) > _MAX_DESCRIPTOR else text


def _text(value: str, limit: int) -> str:
    return storable(value)[:limit]
