"""All entry points for calls over HTTP, in front of the control endpoints."""

from starlette.types import ASGIApp

from mlpgateway.entry.adapters.front import Adapters
from mlpgateway.entry.cross_origin import CrossOrigin
from mlpgateway.entry.http.control import ControlFront
from mlpgateway.entry.http.front import Front
from mlpgateway.entry.http.visitors import VisitorFront
from mlpgateway.entry.sockets.front import HttpFront
from mlpgateway.wiring.components import Components
from mlplace_runtime.auth.authenticator import CookieNames


def over_http(components: Components, *, control: ASGIApp, cookies: CookieNames) -> ASGIApp:
    """Returns the first app of a chain: each passes on paths that are not its own. The hot path comes first."""
    adapters = Adapters(
        handler=components.pipeline,
        idempotent_calls=components.entry_points.idempotent_calls,
        directory=components.entry_points.directory,
        admission=components.admission,
        holders=components.entrance,
        large_bodies=components.large_bodies,
        others=ControlFront(control),
        cookies=cookies,
    )
    requests = HttpFront(
        handler=components.pipeline,
        admission=components.admission,
        holders=components.entrance,
        others=adapters,
        cookies=cookies,
    )
    visitors = VisitorFront(
        handler=components.visitors.handler,
        authorise=components.visitors.authorise,
        admission=components.admission,
        terms=components.visitors.terms,
        ready=components.visitors.ready,
        others=requests,
        cookies=cookies,
    )
    calls = Front(
        handler=components.pipeline,
        idempotent_calls=components.entry_points.idempotent_calls,
        predictions=components.entry_points.predictions,
        admission=components.admission,
        holders=components.entrance,
        large_bodies=components.large_bodies,
        control=visitors,
        cookies=cookies,
    )
    return CrossOrigin(keyring=components.keyring, entrance=components.entrance, others=calls)
