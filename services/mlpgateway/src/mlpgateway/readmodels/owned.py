from mlpgateway.readmodels.models import Models
from mlplace_contracts.events import ModelChanged
from mlplace_kit.errors import ModelNotFound
from mlplace_kit.names import parse_ref
from mlplace_runtime.web.policy import Access


def owned(models: Models, access: Access, model: str) -> ModelChanged:
    """Returns a model of the account that the request is about.

    Raises ModelNotFound, also for a model that the caller's key may not see.
    """
    found = models.find(access.account.account_id, parse_ref(model))
    allowed = access.principal.allowed_models
    if found is None or (allowed is not None and found.model_id not in allowed):
        raise ModelNotFound
    return found
