"""State shared by all connections of one instance."""

from dataclasses import dataclass

from mlplace.authoring.descriptor import build_descriptor
from mlplace.hosting.backoff import Backoff
from mlplace.hosting.engine import Engine
from mlplace.hosting.probes import Probes
from mlplace.settings import Settings
from mlplace_gateproto import gate_pb2
from mlplace_gateproto.flow import WINDOW_BYTES

# Version of the protocol, as existing services report it.
PROTOCOL_VERSION = 2


@dataclass(frozen=True, slots=True)
class Link:
    settings: Settings
    engine: Engine
    probes: Probes
    greeting: gate_pb2.ServiceToGateProto
    backoff: Backoff
    # After this many seconds without a connected gate, the addresses of the environment are tried again.
    fallback_after: float = 10.0


def start_serving(settings: Settings, engine: Engine) -> gate_pb2.ServiceToGateProto:
    """Returns the first message of every stream."""
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
