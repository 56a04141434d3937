from pathlib import Path

import check_frontend_imports
import pytest


def circles(folder: Path, **modules: str) -> list[str]:
    """Modules by path, in which `__` stands for `/`."""
    for name, text in modules.items():
        path = folder / f"{name.replace('__', '/')}.ts"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(check_frontend_imports.circles(check_frontend_imports.imports_of(folder)))


class TestCircles:
    def test_one_direction_is_fine(self, tmp_path):
        assert circles(tmp_path, app="import { a } from './lib/a';", lib__a="import b from '@/lib/b';", lib__b="") == []

    @pytest.mark.parametrize(
        "back",
        [
            "import { a } from './a';",
            "import type { A } from '@/a';",
            "export * from './a';",
            "import './a';",
            "const later = () => import('./a');",
            "import {\n  a,\n} from './a.ts';",
        ],
    )
    def test_two_files_that_import_each_other_are_found(self, tmp_path, back):
        found = circles(tmp_path, a="import { b } from './b';", b=back)
        assert len(found) == 1
        assert "a.ts imports b.ts" in found[0]
        assert "b.ts imports a.ts" in found[0]

    def test_a_cycle_of_folders_without_a_cycle_of_files_is_found(self, tmp_path):
        found = circles(
            tmp_path, lib__one="import '@/parts/one';", parts__two="import '../lib/two';", lib__two="", parts__one=""
        )
        assert len(found) == 1
        assert found[0].startswith(".: ")

    def test_a_folder_is_imported_by_its_index(self, tmp_path):
        found = circles(tmp_path, api__index="import '../lib/a';", lib__a="import '@/api';")
        assert len(found) == 1

    def test_tests_and_their_support_are_ignored(self, tmp_path):
        modules = {"a": "", "testing__page": "import '@/a';"}
        (tmp_path / "a.test.ts").write_text("import './b';")
        assert circles(tmp_path, **modules, b="import './a'; import '@/testing/page';") == []
