"""Requests to the team on the wire."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from mlplace_kit.pagination import Pagination
from mlplace_kit.wire import Input, Output


class MailState(StrEnum):
    OFF = "OFF"
    WAITING = "WAITING"
    SENT = "SENT"
    FAILED = "FAILED"


class TeamRequestState(StrEnum):
    OPEN = "OPEN"
    CLOSED = "CLOSED"


class ManagementRequestData(Input):
    """`contacts`: free text, or the text of a JSON object with name and contacts."""

    contacts: Annotated[str, Field(min_length=1, max_length=1000)]
    comment: Annotated[str, Field(max_length=5000)] | None = None


class ContactRequestData(ManagementRequestData):
    """`kind`: `contact` for a question, `demo` to be shown the platform."""

    kind: Literal["contact", "demo"] = "contact"


class TeamRequestData(Output):
    id: int
    kind: str
    account_id: int | None
    user_id: int | None
    login: str | None
    contacts: str
    comment: str | None
    created_at: datetime
    mail_state: MailState
    state: TeamRequestState
    answer: str | None
    answered_by: str | None
    answered_at: datetime | None


class TeamRequestUpdate(Input):
    """`answer`: why the request is closed, or another answer; null keeps the one of before. The account that asked gets
    it as a notification, the user who asked also by mail. A request without an answer cannot be closed.
    """

    state: TeamRequestState
    answer: Annotated[str, Field(min_length=1, max_length=1500)] | None = None


class PagedTeamRequests(Output):
    paging: Pagination
    records: list[TeamRequestData]
