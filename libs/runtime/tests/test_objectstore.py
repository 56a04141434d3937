from dataclasses import replace
from pathlib import Path

import pytest

from mlplace_runtime.objectstore import ObjectNotFoundError, S3Settings, ensure_bucket, open_folder, open_s3
from mlplace_runtime.objectstore.stores import Store, open_memory
from mlplace_testing.servers.containers import free_port


@pytest.fixture(params=["folder", "memory", pytest.param("s3", marks=pytest.mark.docker)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "s3":
        return open_s3(request.getfixturevalue("s3_settings"))
    return open_folder(tmp_path / "objects") if request.param == "folder" else open_memory()


class TestStore:
    async def test_get_returns_what_was_put(self, store: Store) -> None:
        await store.put("models/1/weights.bin", b"\x00\xff" * 1000)
        assert await store.get("models/1/weights.bin") == b"\x00\xff" * 1000
        assert b"".join([piece async for piece in store.stream("models/1/weights.bin")]) == b"\x00\xff" * 1000

    async def test_list_returns_keys_below_a_prefix(self, store: Store) -> None:
        for key in ("a/1", "a/2", "b/1"):
            await store.put(key, b"x")
        assert await store.list("a") == ["a/1", "a/2"]
        assert await store.list("") == ["a/1", "a/2", "b/1"]

    async def test_a_missing_object_raises_object_not_found(self, store: Store) -> None:
        with pytest.raises(ObjectNotFoundError):
            await store.get("nothing")
        await store.delete("nothing")

    async def test_delete_removes_the_object(self, store: Store) -> None:
        await store.put("a", b"x")
        await store.delete("a")
        assert await store.list("") == []

    @pytest.mark.parametrize("key", ["", "../x", "a/../../x", "/etc/passwd", "a//b", "a/./b", "a\0b"])
    async def test_unsafe_keys_are_refused(self, store: Store, key: str) -> None:
        with pytest.raises(ValueError, match="object key"):
            await store.put(key, b"x")


@pytest.mark.docker
class TestS3:
    async def test_large_objects_are_stored_in_parts(self, s3_settings: S3Settings) -> None:
        store = open_s3(s3_settings)
        data = bytes(range(256)) * 4096 * 12  # 12 MiB, more than one part of an upload
        await store.put("large", data)
        pieces = [piece async for piece in store.stream("large")]
        assert len(pieces) > 1
        assert b"".join(pieces) == data

    async def test_ensure_bucket_twice_changes_nothing(self, s3_settings: S3Settings) -> None:
        store = open_s3(s3_settings)
        await store.put("kept", b"x")
        await ensure_bucket(s3_settings)
        assert await store.get("kept") == b"x"

    async def test_buckets_are_separate(self, s3_settings: S3Settings) -> None:
        other = replace(s3_settings, bucket=f"{s3_settings.bucket}-other")
        await ensure_bucket(other)
        await open_s3(s3_settings).put("a", b"x")
        assert await open_s3(other).list("") == []

    async def test_an_unreachable_server_raises_a_connection_error(self) -> None:
        away = S3Settings("bucket", f"http://127.0.0.1:{free_port()}", "key", "secret")
        with pytest.raises(ConnectionError):
            await ensure_bucket(away)

    def test_the_secret_is_not_shown(self) -> None:
        assert "hidden" not in repr(S3Settings("bucket", "http://127.0.0.1", "key", "hidden"))
