"""Types of numbers in paths and queries."""

from typing import Annotated

from annotated_types import Ge, Lt

Id = Annotated[int, Ge(1), Lt(2**63)]
"""A possible id: a positive 64-bit number."""
