"""What all connections of one instance share."""

from dataclasses import dataclass

from mlplace.authoring.descriptor import build_descriptor
from mlplace.hosting.backoff import Backoff
from mlplace.hosting.engine import Engine
from mlplace.hosting.probes import Probes
from mlplace.settings import Settings
from mlplace_gateproto import gate_pb2
from mlplace_gateproto.flow import WINDOW_BYTES

# Generation of the protocol that the instance speaks, as services in use report it.
PROTOCOL_VERSION = 2


@dataclass(frozen=True, slots=True)
class Link:
    settings: Settings
    engine: Engine
    probes: Probes
    greeting: gate_pb2.ServiceToGateProto
    backoff: Backoff
    # Seconds without any connected gate after which the addresses of the environment are tried again.
    fallback_after: float = 10.0


def start_serving(settings: Settings, engine: Engine) -> gate_pb2.ServiceToGateProto:
    """The first message of every stream."""
    return gate_pb2.ServiceToGateProto(
        startServing=gate_pb2.StartServingProto(
            connectionToken=settings.service_token,
            serviceDescriptor=build_descriptor(engine.service),
            hostname=settings.hostname,
            version=PROTOCOL_VERSION,
            image=settings.image_name,
            cancels=True,
            bundles=True,
            window=WINDOW_BYTES,
        )
    )
