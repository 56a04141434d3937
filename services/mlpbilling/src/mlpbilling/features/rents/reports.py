from mlpbilling.features.rents.repository import RentRepository, RentSide
from mlpbilling.features.rents.schemas import HostingDetails, HostingDetailsRow
from mlpbilling.features.usage.periods import TimeSpan
from mlplace_kit.money import Currency, shown


class HostingReports:
    """Reports of an account's payments to others for hosting, and of its income from servers, quotas and groups."""

    def __init__(self, repository: RentRepository, currency: Currency) -> None:
        self._repository = repository
        self._currency = currency

    async def details(self, *, account_id: int, side: RentSide, span: TimeSpan) -> HostingDetails:
        found = await self._repository.details(account_id=account_id, side=side, currency=self._currency, span=span)
        return HostingDetails(
            total=shown(sum(detail.amount_nano for detail in found)),
            items=[
                HostingDetailsRow.model_validate(
                    {
                        "date": detail.bucket,
                        "source_type": detail.source_type,
                        "source_name": detail.source_name,
                        "owner_id": detail.owner_account_id,
                        "amount_currency": shown(detail.amount_nano),
                    }
                )
                for detail in found
            ],
        )
