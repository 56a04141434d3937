"""Types of values in calls and answers."""

from typing import Any

# Any JSON value.
Json = Any
