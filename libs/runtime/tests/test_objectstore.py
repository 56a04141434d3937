import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mlplace_runtime.objectstore import (
    ObjectNotFoundError,
    ObjectNotReadError,
    S3Settings,
    ensure_bucket,
    open_folder,
    open_s3,
)
from mlplace_runtime.objectstore.stores import Store, open_memory
from mlplace_testing.ports import free_port


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

    async def test_file_is_stored_from_its_start_whatever_its_size(self, store: Store, tmp_path: Path) -> None:
        data = bytes(range(256)) * 4096 * 11  # more than two parts of an upload
        path = tmp_path / "file"
        path.write_bytes(data)
        with path.open("rb") as file:
            file.read(10)
            await store.put_file("datasets/1/content", file)
        assert await store.get("datasets/1/content") == data

    async def test_pieces_are_stored_as_one_object_and_read_in_parts(self, store: Store) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            for number in range(200):
                yield bytes([number]) * 60_000

        await store.put_pieces("buckets/1/a", pieces())
        data = b"".join(bytes([number]) * 60_000 for number in range(200))
        assert await store.get("buckets/1/a") == data
        for start, length in ((0, 1), (59_999, 2), (5_000_000, 6_000_000), (len(data) - 1, 1)):
            read = b"".join([piece async for piece in store.stream("buckets/1/a", start=start, length=length)])
            assert read == data[start : start + length]
        assert b"".join([piece async for piece in store.stream("buckets/1/a", start=11_999_990)]) == data[-10:]

    @pytest.mark.parametrize("count", [1, 200])
    async def test_pieces_that_break_store_nothing(self, store: Store, count: int) -> None:
        class BrokenError(OSError):
            """Of the pieces, and not of the store."""

        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(count):
                yield b"x" * 60_000
            raise BrokenError

        with pytest.raises(BrokenError):
            await store.put_pieces("buckets/1/a", pieces())
        with pytest.raises(ObjectNotFoundError):
            await store.get("buckets/1/a")

    async def test_list_returns_keys_below_a_prefix(self, store: Store) -> None:
        for key in ("a/1", "a/2", "b/1"):
            await store.put(key, b"x")
        assert await store.list("a") == ["a/1", "a/2"]
        assert await store.list("") == ["a/1", "a/2", "b/1"]

    async def test_deleting_unfinished_objects_keeps_finished_ones(self, store: Store) -> None:
        now = datetime.now(UTC) + timedelta(hours=1)
        assert await store.delete_unfinished("a", before=now) == 0
        for key in ("a/1", "a/2#x"):
            await store.put(key, b"x")
        assert await store.delete_unfinished("a", before=now) == 0
        assert [await store.get(key) for key in ("a/1", "a/2#x")] == [b"x", b"x"]

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

    @pytest.mark.parametrize("exists", [True, False])
    async def test_keys_that_may_not_create_buckets_suffice_for_an_existing_one(self, exists: bool) -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            status = b"403 Forbidden" if head.startswith(b"PUT") else b"200 OK" if exists else b"404 Not Found"
            writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            settings = S3Settings("given", f"http://127.0.0.1:{port}", access_key="a", secret_key="b")
            if exists:
                await ensure_bucket(settings)
            else:
                with pytest.raises(ConnectionError, match="the bucket given cannot be created: HTTP 403"):
                    await ensure_bucket(settings)

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


class TestAway:
    async def test_reads_of_an_unreachable_store_say_so(self) -> None:
        store = open_s3(S3Settings("bucket", f"http://127.0.0.1:{free_port()}", "key", "secret"))
        with pytest.raises(ObjectNotReadError):
            await store.get("a/b")
        with pytest.raises(ObjectNotReadError):
            [piece async for piece in store.stream("a/b")]
