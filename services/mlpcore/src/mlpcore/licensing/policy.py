"""The checks of the licence that features make before they start something. `features/license` implements them."""

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
