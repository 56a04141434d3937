"""Pages of lists: `page` counts from 0, `size` is at most 1000, `sort` is `field,asc` or `field,desc`."""

from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

MAX_PAGE_SIZE = 1000
DEFAULT_PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class PageRequest:
    page: int = 0
    size: int = DEFAULT_PAGE_SIZE
    sort_field: str = "id"
    descending: bool = True

    @property
    def offset(self) -> int:
        return self.page * self.size


class Pagination(BaseModel):
    """The `paging` block of the contract's lists."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    total_elements: int
    total_pages: int
    page_number: int
    page_size: int

    @classmethod
    def of(cls, request: PageRequest, total: int) -> Self:
        return cls(
            total_elements=total,
            total_pages=-(-total // request.size),
            page_number=request.page,
            page_size=request.size,
        )
