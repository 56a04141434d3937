"""What features ask the licence before they let something begin. `features/license` answers."""

from typing import Protocol


class LicensePolicy(Protocol):
    async def demand_new_service(self) -> None:
        """Raises LicenseLimitExceeded."""
        ...

    async def demand_start(self) -> None:
        """Raises LicenseLimitExceeded."""
        ...


class NoLicenseNeeded:
    async def demand_new_service(self) -> None:
        """Nothing is limited."""

    async def demand_start(self) -> None:
        """Nothing is limited."""
