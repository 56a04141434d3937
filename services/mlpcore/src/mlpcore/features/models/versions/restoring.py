"""Makes the settings of a version those of a request, which an ordinary change then writes."""

from typing import Final

from pydantic import ValidationError

from mlpcore.features.models.schemas import ModelCreateUpdateData
from mlpcore.features.models.tables import Block, Model
from mlpcore.features.models.values import BASE
from mlpcore.features.models.versions.snapshot import ADDRESS, SETTINGS, complete
from mlplace_kit.errors import ValidationFailed
from mlplace_runtime.web.findings import violations_of

_KNOWN: Final = frozenset(
    str(field.alias) for name, field in ModelCreateUpdateData.model_fields.items() if name not in BASE
)
"""Documents of earlier releases also hold the base, which stays as it is."""


def request_of(document: Block, model: Model) -> ModelCreateUpdateData:
    """Returns the request that gives the model these settings. Hidden values stay: they are not sent, or as masks.

    Raises ValidationFailed for settings that were valid then and are not now.
    """
    settings = {name: value for name, value in complete(document[SETTINGS]).items() if name in _KNOWN}
    settings["caching"] = {**settings["caching"], ADDRESS: model.caching.get(ADDRESS, "")}
    try:
        return ModelCreateUpdateData.model_validate(settings)
    except ValidationError as error:
        raise ValidationFailed(violations_of(error.errors())) from error
