"""Dependencies shared by the routers of all services."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Query, Request
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_kit.clock import Clock
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.pagination import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, PageRequest
from mlplace_kit.violations import broken
from mlplace_runtime.service import runtime_of


async def open_session(request: Request) -> AsyncIterator[AsyncSession]:
    async with runtime_of(request).database.transaction() as session:
        yield session


# With function scope the commit happens before the response is sent, so a failed commit is never answered with 200.
SessionDep = Annotated[AsyncSession, Depends(open_session, scope="function")]


def clock_of(request: Request) -> Clock:
    return runtime_of(request).clock


ClockDep = Annotated[Clock, Depends(clock_of)]


def page_request(
    page: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    size: Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE)] = DEFAULT_PAGE_SIZE,
    sort: Annotated[str, Query(max_length=64, description="field,asc or field,desc")] = "id,desc",
) -> PageRequest:
    field, _, direction = sort.partition(",")
    if direction not in {"", "asc", "desc"} or not field.isidentifier():
        raise ValidationFailed(
            {"sort": broken("sort", message="use field,asc or field,desc", allowed="field,asc, field,desc")}
        )
    return PageRequest(page=page, size=size, sort_field=field, descending=direction == "desc")


PageDep = Annotated[PageRequest, Depends(page_request)]
