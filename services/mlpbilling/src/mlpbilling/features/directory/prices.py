"""What a call may cost at most, as the owners of models have published it."""

from collections.abc import Collection, Mapping

from mlpbilling.features.directory.repository import DirectoryRepository


class PublishedPrices:
    """A gate is held to them, whatever its usage says."""

    def __init__(self, directory: DirectoryRepository, default_nano: int) -> None:
        """`default_nano`: where an owner has published nothing."""
        self._directory = directory
        self.default_nano = default_nano

    async def known(self, model_ids: Collection[int]) -> Mapping[int, int]:
        """For a day after a change the higher one holds: calls from before it may not be charged yet."""
        offers = await self._directory.max_prices(model_ids) if model_ids else {}
        return {
            model_id: max(max(self.default_nano, price) if most is None else most for most, price in of_model)
            for model_id, of_model in offers.items()
        }
