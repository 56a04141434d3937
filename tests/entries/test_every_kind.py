"""Every entry meets every kind of caller and instance, in a test or with a reason why not."""

from collections.abc import Mapping

import pytest

from tests.entries.kinds import ALL, KINDS, OTHERS, Kind


@pytest.fixture
def entries_of_tests(request: pytest.FixtureRequest) -> Mapping[str, set[str]]:
    """The entries among the parameters of each test, by its id without them."""
    found: dict[str, set[str]] = {}
    for item in request.session.items:
        entries = found.setdefault(item.nodeid.partition("[")[0], set())
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            entries.update(
                {*ALL}.intersection(filter(lambda value: isinstance(value, str), item.callspec.params.values()))
            )
    wanted = {test.partition("::")[0] for kind in KINDS for test in (*kind.tests, *kind.own.values())}
    if missing := sorted(wanted - {test.partition("::")[0] for test in found}):
        pytest.skip(f"run all tests, or these too: {', '.join(missing)}")
    return found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.says)
class TestKind:
    def test_each_of_its_tests_has_entries(self, kind: Kind, entries_of_tests: Mapping[str, set[str]]) -> None:
        for prefix in kind.tests:
            assert any(entries for test, entries in entries_of_tests.items() if test.startswith(prefix)), prefix

    def test_every_entry_has_a_test_or_a_reason(self, kind: Kind, entries_of_tests: Mapping[str, set[str]]) -> None:
        tested = {
            entry
            for test, entries in entries_of_tests.items()
            if test.startswith(tuple(kind.tests))
            for entry in entries
        }
        own = {entry for entry, test in kind.own.items() if test in entries_of_tests}
        assert sorted({*ALL, *OTHERS} - tested - own - {*kind.none_for}) == []
        assert sorted((tested | own) & {*kind.none_for}) == []
