"""The statistics log on the wire."""

from collections.abc import Sequence
from typing import Any

from mlpcore.features.stat_logs.tables import StatLog
from mlplace_kit.pagination import PageRequest
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


class SortObject(Output):
    sorted: bool
    empty: bool
    unsorted: bool


class PageableObject(Output):
    page_number: int
    page_size: int
    offset: int
    sort: SortObject
    paged: bool
    unpaged: bool


class PageStatLogData(Output):
    """A page of the log. `number`: the page, from 0."""

    total_elements: int
    total_pages: int
    first: bool
    last: bool
    empty: bool
    size: int
    number: int
    number_of_elements: int
    content: list[StatLogData]
    pageable: PageableObject
    sort: SortObject


def stat_log_page(entries: Sequence[StatLog], page: PageRequest, total: int) -> PageStatLogData:
    order = SortObject(sorted=True, empty=False, unsorted=False)
    pages = -(-total // page.size)
    return PageStatLogData(
        total_elements=total,
        total_pages=pages,
        first=page.page == 0,
        last=page.page >= pages - 1,
        empty=not entries,
        size=page.size,
        number=page.page,
        number_of_elements=len(entries),
        content=[stat_log_data(entry) for entry in entries],
        pageable=PageableObject(
            page_number=page.page, page_size=page.size, offset=page.offset, sort=order, paged=True, unpaged=False
        ),
        sort=order,
    )


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
