"""The maximal prices of calls that owners of models have published."""

from collections.abc import Collection, Mapping

from mlpbilling.features.directory.repository import DirectoryRepository


class PublishedPrices:
    """Limits what gates can charge, whatever their usage reports."""

    def __init__(self, directory: DirectoryRepository, default_nano: int) -> None:
        """`default_nano` applies to models without a published maximal price."""
        self._directory = directory
        self.default_nano = default_nano

    async def known(self, model_ids: Collection[int]) -> Mapping[int, int]:
        """Returns maximal prices. For a day after a change the higher one applies, for calls not charged yet."""
        offers = await self._directory.max_prices(model_ids) if model_ids else {}
        return {
            model_id: max(max(self.default_nano, price) if most is None else most for most, price in of_model)
            for model_id, of_model in offers.items()
        }
