"""Numbers in paths and queries."""

from typing import Annotated

from annotated_types import Ge, Lt

Id = Annotated[int, Ge(1), Lt(2**63)]
"""An id that can exist: a positive 64-bit number."""
