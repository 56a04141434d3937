"""All ways of calling models over HTTP, in front of the control endpoints."""

from starlette.types import ASGIApp

from mlpgateway.call.origins import Origins
from mlpgateway.entry.adapters.front import Adapters
from mlpgateway.entry.http.front import Front
from mlpgateway.entry.sockets.front import HttpFront
from mlpgateway.wiring.components import Parts
from mlplace_runtime.auth.authenticator import CookieNames


def over_http(parts: Parts, *, control: ASGIApp, cookies: CookieNames, origins: Origins) -> ASGIApp:
    """Each asks the next one about addresses that are not its own; the hot path is asked first."""
    adapters = Adapters(
        handler=parts.pipeline,
        directory=parts.ways.directory,
        admission=parts.admission,
        holders=parts.entrance,
        large_bodies=parts.large_bodies,
        others=control,
        cookies=cookies,
        origins=origins,
    )
    requests = HttpFront(
        handler=parts.pipeline,
        admission=parts.admission,
        holders=parts.entrance,
        others=adapters,
        cookies=cookies,
        origins=origins,
    )
    return Front(
        handler=parts.pipeline,
        once=parts.ways.once,
        predictions=parts.ways.predictions,
        admission=parts.admission,
        holders=parts.entrance,
        large_bodies=parts.large_bodies,
        control=requests,
        cookies=cookies,
        origins=origins,
    )
