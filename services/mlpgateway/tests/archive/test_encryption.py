"""Encrypted archive records, and the documented way to decrypt them."""

import base64
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mlpgateway.features.archive.records import UnusableKeyError, key_id_of, sealed

ARCHIVE = "/api/mlpgateway/account/acme/model/ner/archive"
DOCUMENT = Path(__file__).parents[4] / "docs" / "archive.md"


def script() -> str:
    found = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert found
    return found[1]


class TestEncryption:
    async def test_only_the_owners_key_decrypts_the_record(
        self, world, archiving, listed, owner, owners_key, tmp_path
    ) -> None:
        world.know(archiving(public_key=owners_key.public))
        world.instance()
        await world.predict(world.key(), '"a secret text"')
        (record,) = await listed(1)
        assert record["keyId"] == key_id_of(owners_key.public)
        answer = await world.client.get(f"{ARCHIVE}/{record['id']}/content", headers=owner)
        assert answer.headers["content-type"] == "application/jose"
        assert b"secret text" not in answer.content

        (tmp_path / "key.pem").write_bytes(owners_key.private)
        (tmp_path / "record.jwe").write_bytes(answer.content)
        (tmp_path / "open.py").write_text(script())
        shown = subprocess.run(  # noqa: ASYNC221  the documentation's own words
            [sys.executable, tmp_path / "open.py", tmp_path / "key.pem", tmp_path / "record.jwe"],
            capture_output=True, check=True, timeout=120,
        )  # fmt: skip
        assert json.loads(shown.stdout)["request"]["data"]["json"] == '"a secret text"'

    def test_each_record_has_its_own_key_and_describes_itself(self, owners_key) -> None:
        one, two = (sealed(b"{}", owners_key.public).split(b".") for _ in range(2))
        assert one[0] == two[0]
        assert one[1:] != two[1:]
        about = json.loads(base64.urlsafe_b64decode(one[0] + b"=" * (-len(one[0]) % 4)))
        assert (about["alg"], about["enc"], about["kid"]) == ("RSA-OAEP-256", "A256GCM", key_id_of(owners_key.public))

    @pytest.mark.parametrize("key", ["", "nonsense", "-----BEGIN PUBLIC KEY-----\nMFk=\n-----END PUBLIC KEY-----"])
    def test_unusable_key_stores_nothing_in_the_clear(self, key: str) -> None:
        with pytest.raises(UnusableKeyError):
            sealed(b"{}", key)
