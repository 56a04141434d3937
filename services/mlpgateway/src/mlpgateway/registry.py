"""Everything this service is made of, as explicit lists."""

from collections.abc import Sequence

from fastapi import APIRouter

from mlpgateway.gate import tables as gate
from mlpgateway.tables import Base

METADATA = Base.metadata
TABLES = (gate.GateMember,)

ROUTERS: Sequence[APIRouter] = ()
