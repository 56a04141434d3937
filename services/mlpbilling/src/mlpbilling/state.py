"""State shared by the features of the running service. Stored at `app.state.service`; routers take it as `StateDep`."""

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends

from mlpbilling.payment_provider import PaymentProvider
from mlpbilling.redirects import NoRedirects, Redirects
from mlpbilling.settings import MlpbillingSettings
from mlplace_kit.clock import Clock
from mlplace_runtime.db.database import Database
from mlplace_runtime.people import NobodyKnown, People
from mlplace_runtime.service import state_of


@dataclass(frozen=True, slots=True)
class BillingState:
    """`provider` takes card payments; None if the installation takes none."""

    settings: MlpbillingSettings
    database: Database
    clock: Clock
    provider: PaymentProvider | None = None
    redirects: Redirects = field(default_factory=NoRedirects)
    people: People = field(default_factory=NobodyKnown)


StateDep = Annotated[BillingState, Depends(state_of(BillingState))]
