import json
from pathlib import Path

import pytest

from mlpcore.features.license.__main__ import main
from mlpcore.licensing.terms import public_key, read

TERMS = {"customer": "acme", "notBefore": "2026-01-01T00:00:00Z", "expires": "2027-01-01T00:00:00Z"}


class TestIssuing:
    def test_signed_licence_is_read_with_the_public_key(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["new-key"]) == 0
        pair = capsys.readouterr().out
        (tmp_path / "pair.pem").write_text(pair)
        (tmp_path / "terms.json").write_text(json.dumps(TERMS))
        assert main(["sign", str(tmp_path / "terms.json"), str(tmp_path / "pair.pem")]) == 0
        text = capsys.readouterr().out.strip()
        public = public_key(pair[pair.index("-----BEGIN PUBLIC") :])
        assert read(text.encode(), public).customer == "acme"
