import importlib.util
from pathlib import Path

GENERATOR = Path(__file__).parents[1] / "generate.py"


class TestGenerate:
    def test_committed_stubs_match_the_source(self, tmp_path: Path) -> None:
        spec = importlib.util.spec_from_file_location("generate", GENERATOR)
        assert spec is not None
        assert spec.loader is not None
        generator = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(generator)
        generator.generate(tmp_path)
        for name in generator.STUBS:
            assert (generator.PACKAGE / name).read_text() == (tmp_path / name).read_text(), f"{name}: run generate.py"
