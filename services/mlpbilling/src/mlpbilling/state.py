"""State shared by the features of the running service. Stored at `app.state.billing`; routers take it as `StateDep`."""

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from mlpbilling.payment_provider import PaymentProvider
from mlpbilling.people import NobodyKnown, People
from mlpbilling.redirects import NoRedirects, Redirects
from mlpbilling.settings import MlpbillingSettings
from mlplace_kit.clock import Clock
from mlplace_runtime.db.database import Database


@dataclass(frozen=True, slots=True)
class BillingState:
    """`provider` takes card payments; None if the installation takes none."""

    settings: MlpbillingSettings
    database: Database
    clock: Clock
    provider: PaymentProvider | None = None
    redirects: Redirects = field(default_factory=NoRedirects)
    people: People = field(default_factory=NobodyKnown)


def state_of(request: HTTPConnection) -> BillingState:
    state = request.app.state.billing
    if not isinstance(state, BillingState):
        raise TypeError("the app was started without its state")
    return state


StateDep = Annotated[BillingState, Depends(state_of)]
