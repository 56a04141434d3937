"""Logins: e-mail addresses, compared without case."""

from typing import Annotated

from email_validator import EmailNotValidError, validate_email
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

_MAX_LENGTH = 254  # RFC 5321, 4.5.3.1.3, without the angle brackets


def normal_login(text: str) -> str:
    """Returns the form in which a login is stored and looked up.

    Text that is not an address gets a form that no user has.
    """
    try:
        return _address(text)
    except EmailNotValidError:
        return text.strip().lower()


def _address(text: str) -> str:
    # Addresses such as admin@intranet are valid: some installations have no public domain.
    checked = validate_email(text.strip(), check_deliverability=False, globally_deliverable=False)
    return checked.normalized.lower()


def _valid_address(text: str) -> str:
    try:
        return _address(text)
    except EmailNotValidError as error:
        raise PydanticCustomError("email", "must be an e-mail address") from error


Email = Annotated[str, Field(min_length=3, max_length=_MAX_LENGTH), AfterValidator(_valid_address)]
GivenLogin = Annotated[str, Field(min_length=1, max_length=_MAX_LENGTH)]
