"""Takes charged usage from its reservations. Works on rows in memory, while the payers are locked."""

import uuid
from collections import Counter
from collections.abc import Mapping

from mlpbilling.features.reservations.repository import FreeUnitsChange, FreeUnitsKey, free_units_key
from mlpbilling.features.reservations.tables import ReservationRow
from mlplace_kit.money import Currency


class ReservationSettlement:
    def __init__(self, rows: Mapping[uuid.UUID, ReservationRow]) -> None:
        self._rows = rows
        self._used: Counter[FreeUnitsKey] = Counter()
        self._unheld: Counter[FreeUnitsKey] = Counter()

    def find(
        self, reservation_id: uuid.UUID | None, *, payer_account_id: int, model_id: int, currency: Currency
    ) -> ReservationRow | None:
        """Returns None for a reservation of another payer, model or currency: the charge then takes money only."""
        row = self._rows.get(reservation_id) if reservation_id else None
        if row is None or (row.payer_account_id, row.model_id, row.currency) != (payer_account_id, model_id, currency):
            return None
        return row

    def settle(self, row: ReservationRow, *, charged_nano: int, free_units: int) -> int:
        """Takes the charge from the reservation. Returns how much of it was held."""
        taken = min(charged_nano, row.held_nano)
        row.held_nano -= taken
        row.settled_nano += charged_nano
        row.settled_free_units += free_units
        self._used[free_units_key(row)] += free_units
        self._drop_free_units(row, free_units)
        return taken

    def end(self, row: ReservationRow, *, keep_nano: int, keep_free_units: int) -> int:
        """Frees all but what is to be kept (nothing if negative). Returns the freed money."""
        freed = max(0, row.held_nano - max(0, keep_nano))
        row.held_nano -= freed
        self._drop_free_units(row, max(0, row.held_free_units - max(0, keep_free_units)))
        return freed

    def _drop_free_units(self, row: ReservationRow, units: int) -> None:
        row.held_free_units -= units
        self._unheld[free_units_key(row)] += units

    @property
    def free_unit_changes(self) -> dict[FreeUnitsKey, FreeUnitsChange]:
        return {key: FreeUnitsChange(used=self._used[key], held=-units) for key, units in self._unheld.items() if units}
