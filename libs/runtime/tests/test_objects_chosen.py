from pathlib import Path

import pytest

from mlplace_runtime.process.adapters import choose_objects
from mlplace_runtime.process.settings import ProcessSettings

HEX = "ab" * 32


def settings(**more: object) -> ProcessSettings:
    secrets = {"internal_token": HEX, "hash_secret": HEX, "envelope_key": HEX, "bus": "x"}
    return ProcessSettings(**{**secrets, **more})  # type: ignore[arg-type]  # as read from text


class TestChooseObjects:
    @pytest.mark.parametrize("endpoint", [None, ""])
    async def test_without_an_endpoint_objects_are_files_in_the_data_folder(
        self, tmp_path: Path, endpoint: str | None
    ) -> None:
        await choose_objects(settings(data_dir=tmp_path, s3_endpoint=endpoint)).put("a/b", b"x")
        assert (tmp_path / "objects" / "a" / "b").read_bytes() == b"x"

    def test_with_an_endpoint_objects_are_in_an_s3_bucket(self) -> None:
        bucket = settings(s3_endpoint="http://s3:7070", s3_access_key="key", s3_secret_key="secret").s3
        assert bucket is not None
        assert (bucket.endpoint, bucket.bucket, bucket.access_key, bucket.secret_key) == (
            "http://s3:7070", "mlplace", "key", "secret",
        )  # fmt: skip
