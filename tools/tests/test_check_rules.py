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
    def test_runtime_only_code_outside_runtime_is_found(self, text):
        assert len(found(SERVICE, text)) == 1
        assert found(RUNTIME, text) == []

    def test_tests_may_commit(self):
        assert found(Path("services/mlpcore/tests/test_keys.py"), PLANTED["commit"]) == []


class TestVagueNames:
    @pytest.mark.parametrize("name", ["utils.py", "common/money.py", "helpers/__init__.py", "manager.py", "misc.py"])
    def test_a_vague_name_is_found(self, name):
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
    def test_an_import_of_another_features_repository_is_found(self, line):
        assert "get it from dependencies.py" in found(SERVICE, line)[0]

    @pytest.mark.parametrize("module", ["router", "repository", "jobs_of_keys"])
    def test_such_an_import_is_found_in_all_modules_but_wiring(self, module):
        path = SERVICE.with_stem(module)
        assert len(found(path, "from mlpcore.features.images.repository import ImageRepository")) == 1

    @pytest.mark.parametrize("module", ["dependencies", "consumers", "loops", "task_steps"])
    def test_wiring_may_import_repositories(self, module):
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
    def test_own_repositories_and_others_tables_and_services_pass(self, line):
        assert found(SERVICE, line) == []


IMPORT = "from mlpcore.features.images.tables import Image\n"
FOREIGN_WRITES = {
    "construction": IMPORT + "image = Image(name='x')\n",
    "construction for a session": IMPORT + "session.add(Image(name='x'))\n",
    "insert": IMPORT + "sa.insert(Image).values(name='x')\n",
    "insert of a dialect": IMPORT + "postgresql.insert(Image)\n",
    "update": IMPORT + "sa.update(Image).where(Image.name == 'x')\n",
    "delete": IMPORT + "delete(Image)\n",
    "table of the class": IMPORT + "sa.update(Image.__table__)\n",
    "other name": "from mlpcore.features.images.tables import Image as Picture\nsa.delete(Picture)\n",
    "module": "from mlpcore.features.images import tables as images\nsa.delete(images.Image)\n",
    "whole module": "import mlpcore.features.images.tables\nsa.delete(mlpcore.features.images.tables.Image)\n",
    "attribute of a parameter": IMPORT + "def f(image: Image):\n    image.name = 'x'\n",
    "one of several attributes": IMPORT + "def f(image: Image | None):\n    x, image.name = 'x', 'y'\n",
    "attribute of a variable": IMPORT + "async def f():\n    image: Image = await g()\n    image.version += 1\n",
    "setattr": IMPORT + "def f(image: Image):\n    setattr(image, 'name', 'x')\n",
    "delete by a session": IMPORT + "async def f(self, image: Image):\n    await self._session.delete(image)\n",
}
READS = {
    "statement": IMPORT + "sa.select(Image).where(Image.name == 'x')\n",
    "annotation": IMPORT + "def f(image: Image) -> str:\n    return image.name\n",
    "own row beside it": IMPORT + "def f(image: Image, key: Key):\n    key.name = image.name\n",
    "set of ids": IMPORT + "def f(image: Image, ids: set[int]):\n    ids.add(image.image_id)\n",
    "list of tables": "from mlpcore.features.images import tables as images\nTABLES = (images,)\n",
    "own base": "from mlpcore.tables import Base\nclass Key(Base): ...\n",
    "contract": "from mlplace_contracts.events import ImageChanged\nImageChanged(name='x')\n",
}


class TestOneWriterPerTable:
    @pytest.mark.parametrize("text", FOREIGN_WRITES.values(), ids=FOREIGN_WRITES)
    def test_a_write_to_another_features_table_is_found(self, text):
        assert ["mlpcore.features.images owns this table" in line for line in found(SERVICE, text)] == [True]

    @pytest.mark.parametrize("text", FOREIGN_WRITES.values(), ids=FOREIGN_WRITES)
    def test_a_write_by_the_owner_passes(self, text):
        assert found(SERVICE.parents[1] / "images" / "repository.py", text) == []

    @pytest.mark.parametrize("path", ["services/mlpcore/src/mlpcore/state.py", "services/mlpcore/src/mlpcore/a/b.py"])
    def test_a_write_outside_features_is_found(self, path):
        assert len(found(Path(path), FOREIGN_WRITES["update"])) == 1

    def test_a_feature_with_the_same_name_prefix_is_another_one(self):
        path = Path("services/mlpcore/src/mlpcore/features/images_of_models/service.py")
        assert len(found(path, FOREIGN_WRITES["update"])) == 1

    @pytest.mark.parametrize("text", READS.values(), ids=READS)
    def test_reading_them_passes(self, text):
        assert found(SERVICE, text) == []

    def test_tests_may_write(self):
        assert found(Path("services/mlpcore/tests/test_images.py"), FOREIGN_WRITES["construction"]) == []
