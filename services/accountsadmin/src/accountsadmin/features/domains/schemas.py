from typing import Annotated

from pydantic import AfterValidator, Field

from accountsadmin.features.domains.hosts import valid_host_name
from mlplace_kit.wire import Input, Output

_HostName = Annotated[str, Field(min_length=1, max_length=253), AfterValidator(valid_host_name)]


class DomainOption(Output):
    domain: str
    product: str
    internal_user_ui_available: bool
    owner_only: bool


class PublicOptions(Output):
    """Without `mail_available` nobody gets a link for a new password, and addresses need no confirmation."""

    domains: list[DomainOption]
    mail_available: bool


class DomainInput(Input):
    domain: _HostName
    product: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
    internal_user_ui_available: bool = False
    owner_only: bool = False


class DomainsInput(Input):
    """The complete list: domains that are missing in it are removed."""

    domains: Annotated[list[DomainInput], Field(max_length=1000)]
