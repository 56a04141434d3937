"""The platform's own account. It owns the public resource groups and their servers."""

from typing import Final

SYSTEM_ACCOUNT: Final = 1
