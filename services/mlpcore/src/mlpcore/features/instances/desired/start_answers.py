"""Answers to requests for a start. With `waitStart` they are sent when the instances are connected."""

from typing import Any, Final

import sqlalchemy as sa
from fastapi import Response
from sqlalchemy.exc import DBAPIError

from mlpcore.answer_waits import LateResponse
from mlpcore.features.instances.conditions import scaled
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.models.tables import Model
from mlpcore.state import CoreState
from mlplace_runtime.db.polling import ONE

LONGEST: Final = 25.0
"""Seconds. Clients give up after 30."""

_MODEL = sa.bindparam("model_id", 0, type_=sa.BigInteger)
_LEAST = sa.bindparam("least", 0, type_=sa.BigInteger)


def _of_request(value: sa.ColumnElement[Any]) -> sa.ScalarSelect[Any]:
    return sa.select(value).where(HostingRequest.model_id == _MODEL).scalar_subquery()


def _counted(state: InstanceState, *more: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
    mine = (
        Instance.model_id == _MODEL,
        scaled(),
        Instance.state == state.value,
    )
    return sa.select(sa.func.count()).where(*mine, *more).scalar_subquery()


_REQUESTED: Final = _of_request(sa.func.sum(HostingRequest.requested))
_OF_THIS_REQUEST: Final = Instance.start_requested_at >= _of_request(sa.func.max(HostingRequest.changed_at))
_SETTLED: Final = sa.select(ONE).where(
    sa.or_(
        _counted(InstanceState.STARTED) >= sa.func.least(_LEAST, sa.func.coalesce(_REQUESTED, 0)),
        _counted(InstanceState.FAILED, _OF_THIS_REQUEST) > 0,
    )
)
"""Finds something if `least` of the requested instances are connected, or all of fewer, or if one that was
requested since has failed."""


class StartAnswers:
    def __init__(self, state: CoreState) -> None:
        self._state = state

    def of(self, model: Model, *, least: int) -> Response:
        """Returns an empty answer.

        With `waitStart` it is sent when `least` instances on servers are connected, when one of them has failed, or
        after 25 seconds or the model's start timeout.
        """
        if not model.wait_start:
            return Response()
        model_id, account_id = model.model_id, model.account_id
        seconds = min(LONGEST, float(model.timeouts["podStartTimeoutSec"]))

        async def settled() -> bool:
            try:
                return await self._state.database.polling.finds(_SETTLED, model_id=model_id, least=least)
            except (DBAPIError, OSError):  # the start goes on; its request is stored
                return True

        return LateResponse(lambda: self._state.answer_waits.until(settled, account_id=account_id, seconds=seconds))
