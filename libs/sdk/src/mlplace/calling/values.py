"""Values in calls and answers."""

import json
from typing import Any

from mlplace.errors import MlpError

# Any JSON value.
Json = Any


def read_json(text: str | bytes) -> Json:
    """Returns the value. Raises ``MlpError`` for what Python does not read: also for JSON with a number of very many
    digits.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MlpError("mlplace.unreadable_answer", f"Python cannot read the answer as JSON: {error}") from error
