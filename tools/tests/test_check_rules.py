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
            "from mlpcore.features.images import repository",
            "from mlpcore.features.images.repository import ImageRepository as Images",
        ],
    )
    def test_another_features_repository_is_out_of_reach(self, line):
        assert "get it from dependencies.py" in found(SERVICE, line)[0]

    @pytest.mark.parametrize("module", ["router", "repository", "jobs_of_keys"])
    def test_so_it_is_for_all_that_wires_nothing(self, module):
        path = SERVICE.with_stem(module)
        assert len(found(path, "from mlpcore.features.images.repository import ImageRepository")) == 1

    @pytest.mark.parametrize("module", ["dependencies", "consumers", "jobs"])
    def test_wiring_picks_up_what_it_hands_on(self, module):
        path = SERVICE.with_stem(module)
        assert found(path, "from mlpcore.features.images.repository import ImageRepository") == []

    @pytest.mark.parametrize(
        "line",
        [
            "from mlpcore.features.keys.repository import KeyRepository",
            "from mlpcore.features.images.tables import Image",
            "from mlpcore.features.images.service import Images",
            "from mlpcore.features.images.dependencies import ImagesDep",
        ],
    )
    def test_own_repository_and_others_rows_and_services_are_fine(self, line):
        assert found(SERVICE, line) == []
