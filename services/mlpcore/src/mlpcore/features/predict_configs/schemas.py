from typing import Annotated

from pydantic import Field

from mlpcore.features.models.settings.texts import JsonText, ShortText
from mlplace_kit.wire import Input, Output


class ConfigCreateUpdateData(Input):
    """`config`: JSON text. An update keeps `name` and `isDefault` when they are not sent."""

    name: Annotated[ShortText, Field(min_length=1, max_length=128)] | None = None
    is_default: bool | None = None
    config: JsonText


class PredictConfigPK(Output):
    account_id: int
    model_id: int
    config_id: int


class PredictConfigData(Output):
    id: PredictConfigPK
    name: str
    is_default: bool
    config: str
