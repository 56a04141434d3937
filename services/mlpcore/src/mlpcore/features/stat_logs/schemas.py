"""The statistics log on the wire."""

from typing import Any

from mlpcore.features.stat_logs.tables import StatLog
from mlplace_kit.wire import Output


class StatLogData(Output):
    account_id: int
    record_id: int
    user_id: int | None
    node: str | None
    image_id: int | None
    model_id: int | None
    job_id: int | None
    resource_group: str | None
    timestamp: str
    level: str
    code: str
    args: dict[str, Any]
    message: str


def stat_log_data(entry: StatLog) -> StatLogData:
    return StatLogData(
        account_id=entry.account_id,
        record_id=entry.record_id,
        user_id=entry.user_id,
        node=entry.node,
        image_id=entry.image_id,
        model_id=entry.model_id,
        job_id=entry.job_id,
        resource_group=entry.resource_group,
        timestamp=entry.at.isoformat(),
        level=entry.level,
        code=entry.code,
        args=entry.args,
        message=entry.message,
    )
