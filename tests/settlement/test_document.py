"""Compares the table with its scenarios and with docs/settlement.md."""

from tests.settlement.document import DOCUMENT, with_table
from tests.settlement.scenarios import OF_ENTRIES, SCENARIOS
from tests.settlement.table import ROWS


class TestTable:
    def test_is_the_one_of_the_document(self) -> None:
        text = DOCUMENT.read_text(encoding="utf-8")
        assert text == with_table(text), "run `make settlement`"

    def test_names_each_scenario_once(self) -> None:
        names = [name for row in ROWS for name in row.cases]
        assert len(names) == len(set(names)) == len(SCENARIOS)
        assert all(row.cases for row in ROWS)
        assert OF_ENTRIES.keys() <= {*names}
