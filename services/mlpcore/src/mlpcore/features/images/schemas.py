"""Images on the wire, and the grammar of their addresses."""

import re
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints
from pydantic_core import PydanticCustomError

from mlplace_kit.pagination import Pagination
from mlplace_kit.wire import Input, Output

# The reference grammar of the distribution project, [domain[:port]/]path[:tag][@digest]. It admits no shell
# metacharacter.
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_PIECE = r"[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*"
_ADDRESS = re.compile(
    rf"(?:{_LABEL}(?:\.{_LABEL})*(?::\d{{1,5}})?/)?"
    rf"{_PIECE}(?:/{_PIECE})*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?"
    r"(?:@sha256:[a-f0-9]{64})?",
    re.ASCII,
)


def is_image_address(text: str) -> bool:
    return len(text) <= 512 and _ADDRESS.fullmatch(text) is not None


def _check_address(text: str) -> str:
    if not is_image_address(text):
        raise PydanticCustomError("image_address", "use an address such as registry.example/team/image:tag")
    return text


ImageAddress = Annotated[str, StringConstraints(max_length=512), AfterValidator(_check_address)]
ImageName = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[^/\\\x00-\x1f\x7f]+$")]
AccessMode = Literal["private", "public", "restricted"]


class Belonging(StrEnum):
    ALL = "ALL"
    MINE = "MINE"
    MINE_PUBLIC = "MINE_PUBLIC"
    MINE_RESTRICTED = "MINE_RESTRICTED"
    MINE_PRIVATE = "MINE_PRIVATE"
    NOT_MINE = "NOT_MINE"


class ImageInfoPK(Input):
    account_id: int
    image_id: int


class ImageData(Input):
    """ImageInfoData as a request. `id`, when sent, must be the image's own. `imageAccountName` is ignored."""

    id: ImageInfoPK | None = None
    name: ImageName
    image_account_name: str | None = None
    image: ImageAddress
    access_mode: AccessMode = "private"


class ImageInfoData(Output):
    """`image` is empty for a restricted image of another account, which may be used but not seen."""

    id: ImageInfoPK
    name: str
    image_account_name: str | None
    image: str
    access_mode: AccessMode


class PagedImageInfoData(Output):
    paging: Pagination
    records: list[ImageInfoData]
