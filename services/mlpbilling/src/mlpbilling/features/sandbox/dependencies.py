from typing import Annotated

import httpx
from fastapi import Depends, Request

from mlpbilling.features.sandbox.provider import SandboxProvider
from mlpbilling.features.sandbox.service import Deliver, Sandbox
from mlpbilling.state import StateDep
from mlplace_kit.errors import RouteNotFound
from mlplace_runtime.web.request_context import RequestContext

_SECONDS = 10.0


def sandbox(request: Request, state: StateDep) -> Sandbox:
    """Returns the sandbox. Its pages exist only if it is the provider in use."""
    provider = state.provider
    if not isinstance(provider, SandboxProvider):
        raise RouteNotFound
    return Sandbox(state.database, state.clock, provider, _deliver_to(request, state.settings.max_body_bytes))


def _deliver_to(request: Request, max_body_bytes: int) -> Deliver:
    """Returns a function that sends callbacks through the whole app like any provider's, but within this process."""

    async def deliver(body: bytes, headers: dict[str, str]) -> int:
        app = RequestContext(request.app, service="mlpbilling", max_body_bytes=max_body_bytes)
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://mlpbilling", timeout=_SECONDS) as client:
            answer = await client.post(
                f"/api/mlpbilling/payment-callback/{SandboxProvider.name}", content=body, headers=headers
            )
        return answer.status_code

    return deliver


SandboxDep = Annotated[Sandbox, Depends(sandbox)]
