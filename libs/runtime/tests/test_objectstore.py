from pathlib import Path

import pytest

from mlplace_runtime.objectstore import ObjectNotFoundError, open_folder
from mlplace_runtime.objectstore.stores import Store, open_memory


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return open_folder(tmp_path / "objects") if request.param == "folder" else open_memory()


class TestStore:
    async def test_returns_what_was_put(self, store: Store) -> None:
        await store.put("models/1/weights.bin", b"\x00\xff" * 1000)
        assert await store.get("models/1/weights.bin") == b"\x00\xff" * 1000
        assert b"".join([piece async for piece in store.stream("models/1/weights.bin")]) == b"\x00\xff" * 1000

    async def test_lists_below_a_prefix(self, store: Store) -> None:
        for key in ("a/1", "a/2", "b/1"):
            await store.put(key, b"x")
        assert await store.list("a") == ["a/1", "a/2"]
        assert await store.list("") == ["a/1", "a/2", "b/1"]

    async def test_a_missing_object_is_an_error_of_its_own(self, store: Store) -> None:
        with pytest.raises(ObjectNotFoundError):
            await store.get("nothing")
        await store.delete("nothing")

    async def test_deletes(self, store: Store) -> None:
        await store.put("a", b"x")
        await store.delete("a")
        assert await store.list("") == []

    @pytest.mark.parametrize("key", ["", "../x", "a/../../x", "/etc/passwd", "a//b", "a/./b", "a\0b"])
    async def test_keys_never_leave_the_store(self, store: Store, key: str) -> None:
        with pytest.raises(ValueError, match="object key"):
            await store.put(key, b"x")
