"""What goes into calls and comes out of them."""

from typing import Any

# An answer, or anything that goes into one: whatever JSON can say.
Json = Any
