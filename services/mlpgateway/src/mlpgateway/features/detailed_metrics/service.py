from typing import Final

from mlpgateway.features.detailed_metrics.families import pieces_of
from mlpgateway.policy.call_samples.totals import OTHERS, CallSums, CallTotals
from mlpgateway.readmodels.accounts import Accounts
from mlpgateway.readmodels.models import Models
from mlplace_runtime.telemetry.exposition import Pieces, labels

_NAMED_AT_ONCE: Final = 200


class DetailedMetrics:
    def __init__(self, totals: CallTotals | None, models: Models, accounts: Accounts) -> None:
        """`totals` None: the installation has no token for metrics, so nothing is kept for them."""
        self._totals = totals
        self._models = models
        self._accounts = accounts

    def pieces(self) -> Pieces:
        """Returns what was counted until the last interval ended."""
        if self._totals is None:
            return
        calls: list[tuple[str, CallSums]] = []
        for number, ((model_id, instance_id), sums) in enumerate(self._totals.calls()):
            # The name of a deleted model may be another's by now.
            if (model := self._models.by_id(model_id)) is not None:
                calls.append((_labels(model.account_name, model.model_name, instance_id), sums))
            if number % _NAMED_AT_ONCE == 0:
                yield ""
        callers = [
            (labels({"account": self._accounts.name_of(account_id) or str(account_id)}), sums)
            for account_id, sums in self._totals.callers()
        ]
        yield from pieces_of(calls, callers)


def _labels(account: str, model: str, instance_id: int) -> str:
    instance = "others" if instance_id == OTHERS else str(instance_id or "")
    return labels({"account": account, "model": model, "instance_id": instance})
