from pathlib import Path

import check_rules
import pytest

SERVICE = Path("services/mlpcore/src/mlpcore/features/keys/service.py")
RUNTIME = Path("libs/runtime/src/mlplace_runtime/db.py")
PLANTED = {
    "commit": "async def f(session):\n    await session.commit()\n",
    "HTTPException by name": "from fastapi import HTTPException\n",
    "HTTPException by attribute": "import fastapi\nraise fastapi.HTTPException(404)\n",
}


def found(path: Path, text: str) -> list[str]:
    return list(check_rules.check(path, text))


class TestRuntimeOnly:
    @pytest.mark.parametrize("text", PLANTED.values(), ids=PLANTED)
    def test_what_belongs_to_runtime_is_found_elsewhere(self, text):
        assert len(found(SERVICE, text)) == 1
        assert found(RUNTIME, text) == []

    def test_tests_may_commit(self):
        assert found(Path("services/mlpcore/tests/test_keys.py"), PLANTED["commit"]) == []


class TestVagueNames:
    @pytest.mark.parametrize("name", ["utils.py", "common/money.py", "helpers/__init__.py", "manager.py", "misc.py"])
    def test_a_name_that_says_nothing_is_found(self, name):
        assert "name the module" in found(Path("libs/kit/src/mlplace_kit") / name, "")[0]

    def test_a_name_that_merely_contains_such_a_word_passes(self):
        assert found(Path("libs/kit/src/mlplace_kit/context_managers.py"), "") == []


class TestFeatureBorders:
    @pytest.mark.parametrize(
        "line",
        [
            "from mlpcore.features.images.tables import Image",
            "from mlpcore.features.images import repository",
            "from mlpcore.features.images.repository import ImageRepository as Images",
        ],
    )
    def test_another_features_tables_and_repository_are_out_of_reach(self, line):
        assert "use its service" in found(SERVICE, line)[0]

    @pytest.mark.parametrize(
        "line", ["from mlpcore.features.keys.tables import Key", "from mlpcore.features.images.service import Images"]
    )
    def test_own_tables_and_other_services_are_fine(self, line):
        assert found(SERVICE, line) == []
