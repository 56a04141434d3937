"""Short names of accounts whose owners did not choose one."""

import re
from collections.abc import Iterator

from mlplace_kit.ids import random_lower_alphanumeric
from mlplace_kit.names import is_account_name

_MAX_STEM = 26  # room for a hyphen and five random characters within 32
_ATTEMPTS = 20


def suggestions(login: str) -> Iterator[str]:
    """Yields valid short names: first the part before the @, then the same with a random suffix."""
    stem = re.sub(r"[^a-z0-9]+", "-", login.partition("@")[0].lower()).strip("-")[:_MAX_STEM].rstrip("-")
    if not is_account_name(stem):
        stem = f"account-{stem}".rstrip("-")[:_MAX_STEM]
    yield stem
    for _ in range(_ATTEMPTS):
        yield f"{stem}-{random_lower_alphanumeric(5)}"
