"""What the control endpoints show of a running gateway. Kept at `app.state.gateway`."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from mlpgateway.archive.service import Archive
from mlpgateway.caching.states import CacheStates
from mlpgateway.gate.links import ConnectedInstances
from mlpgateway.gate.ports import GateDirectory
from mlpgateway.predictions.service import Predictions
from mlpgateway.settings import MlpgatewaySettings
from mlpgateway.storage.service import Storage


@dataclass(slots=True)
class GatewayState:
    """`address` is this gate's own, once it listens."""

    settings: MlpgatewaySettings
    links: ConnectedInstances
    gates: GateDirectory
    predictions: Predictions
    archive: Archive
    caches: CacheStates
    storage: Storage
    address: str = ""


def state_of(request: Request) -> GatewayState:
    state = request.app.state.gateway
    if not isinstance(state, GatewayState):
        raise TypeError("the app was started without its state")
    return state


StateDep = Annotated[GatewayState, Depends(state_of)]
