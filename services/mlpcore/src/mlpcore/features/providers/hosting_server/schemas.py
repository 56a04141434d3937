from typing import Annotated

from pydantic import StringConstraints

from mlpcore.features.resource_groups.schemas import GroupName
from mlplace_kit.wire import Input, Output


class EnrolData(Input):
    token: Annotated[str, StringConstraints(max_length=256)]


class BootstrapServer(Input):
    """`reissue`: issues a token even for an enrolled server, whose old secret works until the token is used."""

    group_name: GroupName
    server_name: GroupName
    reissue: bool = False


class BootstrappedServer(Output):
    """`enrolmentToken` is null when the server is enrolled and `reissue` is not set."""

    account_id: int
    server_id: int
    enrolment_token: str | None
