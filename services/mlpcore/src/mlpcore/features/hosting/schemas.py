from typing import Annotated

from pydantic import StringConstraints

from mlpcore.features.resource_groups.schemas import GroupName
from mlplace_kit.wire import Input, Output


class EnrolData(Input):
    token: Annotated[str, StringConstraints(max_length=256)]


class BootstrapServer(Input):
    """`reissue`: a new token even for a server that is enrolled; its old secret works until the new one is fetched."""

    group_name: GroupName
    server_name: GroupName
    reissue: bool = False


class BootstrappedServer(Output):
    """`enrolmentToken` is null when the server is enrolled already and no new token was asked for."""

    account_id: int
    server_id: int
    enrolment_token: str | None
