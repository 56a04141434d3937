"""The stages of a call, as the pipeline uses them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mlpgateway.call.handler import CallHandler
from mlpgateway.call.plan import Plans
from mlpgateway.context.metered_call import Recorders
from mlpgateway.delivery.choose import Chooser
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.retry_budget import Budgets
from mlpgateway.features.archive.writer import ArchiveWriter
from mlpgateway.features.caching.stage import Caching
from mlpgateway.pipeline.stored_configs import StoredConfigs
from mlpgateway.policy.access.authenticate import Authenticate
from mlpgateway.policy.access.authorise import Authorise
from mlpgateway.policy.admit import Admit
from mlpgateway.shares.shares import Shares


@dataclass(frozen=True, slots=True)
class Stages:
    authenticate: Authenticate
    authorise: Authorise
    admit: Admit
    chooser: Chooser
    configs: StoredConfigs
    plans: Plans
    breakers: Breakers
    recorders: Recorders
    caching: Caching
    archive: ArchiveWriter
    shares: Shares
    direct_unit_nano: int
    ready: Callable[[], bool]
    deputy: CallHandler | None = None
    """Serves calls until this gate is `ready`: before that, it cannot authenticate them itself."""
    budgets: Budgets = field(default_factory=Budgets)
