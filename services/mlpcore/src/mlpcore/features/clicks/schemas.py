"""Usage events on the wire."""

from typing import Annotated

from pydantic import Field

from mlpcore.features.clicks.tables import Click
from mlplace_kit.clock import to_milliseconds
from mlplace_kit.wire import Input

MAX_EVENTS = 200
_Id = Annotated[int, Field(ge=0, lt=2**63)]


class ClickHistoryData(Input):
    """`creationTime`: Unix milliseconds of the visitor's clock. `accountId` is stored if it is one of the caller's."""

    creation_time: _Id | None = None
    account_id: _Id | None = None
    entity_id: _Id | None = None
    entity_type: Annotated[str, Field(max_length=64)] | None = None
    page_url: Annotated[str, Field(max_length=2048)]
    description: Annotated[str, Field(max_length=4096)] | None = None
    event_type: Annotated[str, Field(min_length=1, max_length=64)]
    element_id: Annotated[int, Field(ge=-(2**63), lt=2**63)] | None = None


Clicks = Annotated[list[ClickHistoryData], Field(max_length=MAX_EVENTS)]


def click_data(click: Click, *, account_id: int) -> ClickHistoryData:
    """Returns the event without the account of a visitor from another account."""
    return ClickHistoryData(
        creation_time=to_milliseconds(click.created_at),
        account_id=click.account_id if click.account_id == account_id else None,
        entity_id=click.entity_id,
        entity_type=click.entity_type,
        page_url=click.page_url,
        description=click.description,
        event_type=click.event_type,
        element_id=click.element_id,
    )
