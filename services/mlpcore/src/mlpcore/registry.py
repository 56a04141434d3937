"""What mlpcore is made of: explicit lists, nothing is found by scanning."""

from collections.abc import Callable

from fastapi import APIRouter

from mlpcore.features.accounts import tables as account_tables
from mlpcore.features.api_keys import tables as api_key_tables
from mlpcore.features.images import tables as image_tables
from mlpcore.features.model_groups import tables as model_group_tables
from mlpcore.features.models import tables as model_tables
from mlpcore.features.predict_configs import tables as predict_config_tables
from mlpcore.state import CoreState, Ports
from mlpcore.tables import Base
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.tasks import Loop

TABLES = (
    account_tables,
    api_key_tables,
    image_tables,
    model_group_tables,
    model_tables,
    predict_config_tables,
)
METADATA = Base.metadata

ROUTERS: list[APIRouter] = []

CONSUMERS: list[Callable[[CoreState], Consumer]] = []

LOOPS: list[Callable[[CoreState], Loop]] = []

PORTS = Ports()
