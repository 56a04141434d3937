"""Lists of keys, compared with a list that Python makes of the same keys."""

from collections.abc import Sequence

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlpcore.features.buckets.keys import after_prefix
from mlpcore.features.buckets.listing_repository import ListingRepository
from mlpcore.features.buckets.tables import BucketObject
from mlpcore.state import CoreState
from mlplace_runtime.db.database import Database
from mlplace_testing.world import World

_PARTS = st.sampled_from(["a", "b", "a-b", "a.b", "a0", "я", "z", "\U0001f600"])
_KEYS = st.lists(st.lists(_PARTS, min_size=1, max_size=4).map("/".join), min_size=1, max_size=25, unique=True)


def expected(keys: Sequence[str], prefix: str, *, folders: bool) -> list[str]:
    found = list[str]()
    for key in sorted(keys):
        if key.startswith(prefix):
            end = key.find("/", len(prefix)) if folders else -1
            name = key if end < 0 else key[: end + 1]
            if name not in found[-1:]:
                found.append(name)
    return found


class TestPages:
    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        keys=_KEYS, prefix=st.sampled_from(["", "a", "a/", "a/b/", "я/"]), most=st.integers(1, 7), folders=st.booleans()
    )
    async def test_hold_each_name_once_and_in_order(
        self, database: Database, state: CoreState, keys: list[str], prefix: str, most: int, *, folders: bool
    ) -> None:
        now = state.clock.now()
        async with database.transaction() as session:
            session.add_all(
                BucketObject(
                    account_id=account, key=key, size=1, etag="e", content_type="t", headers={}, user_metadata={},
                    modified_at=now,
                )
                for account in (1, 2) for key in (keys if account == 1 else ["a/x", "a/b/y", "foreign"])
            )  # fmt: skip
            await session.flush()
            seen, after, pages = list[str](), "", 0
            while True:
                page = await ListingRepository(session).page(1, prefix=prefix, after=after, most=most, folders=folders)
                names = sorted([*(each.key for each in page.objects), *page.folders])
                assert len(names) <= most
                seen, pages = [*seen, *names], pages + 1
                if page.next is None:
                    break
                assert len(names) == most
                after = page.next
            await session.rollback()
        assert seen == expected(keys, prefix, folders=folders)
        assert pages <= len(seen) // most + 1


class TestAfterPrefix:
    @given(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.text(st.characters(exclude_categories=["Cs"]))
    )
    def test_is_greater_than_all_that_begins_so_and_nothing_less(self, prefix: str, rest: str) -> None:
        beyond = after_prefix(prefix)
        if beyond is not None:
            assert prefix + rest < beyond
            assert not (prefix < rest < beyond) or rest.startswith(prefix)


class TestOwnApi:
    async def test_shows_one_folder(self, http: httpx.AsyncClient, world: World) -> None:
        url = "/api/mlpcore/account/acme/s3"
        empty = await http.get(f"{url}/object", headers=world.user)
        assert empty.json() == {"bucketName": None, "prefix": "", "folders": [], "objects": [], "next": None}
        for key in ("a/1.txt", "a/deep/2.txt", "b.txt"):
            put = await http.put(f"{url}/content", params={"key": key}, content=key, headers=world.owner)
            assert put.status_code == 200, put.text
        top = (await http.get(f"{url}/object", headers=world.user)).json()
        assert (top["folders"], [each["key"] for each in top["objects"]]) == (
            [{"name": "a", "prefix": "a/"}], ["b.txt"],
        )  # fmt: skip
        below = (await http.get(f"{url}/object", params={"prefix": "a/"}, headers=world.user)).json()
        assert ([each["name"] for each in below["folders"]], [each["name"] for each in below["objects"]]) == (
            ["deep"], ["1.txt"],
        )  # fmt: skip
        got = await http.get(f"{url}/content", params={"key": "a/1.txt"}, headers=world.user)
        assert (got.text, got.headers["content-disposition"]) == ("a/1.txt", "attachment; filename*=UTF-8''1.txt")
        deleted = await http.post(f"{url}/delete", json={"prefixes": ["a/"]}, headers=world.owner)
        assert deleted.json() == {"deleted": 2, "more": False}
        missing = await http.get(f"{url}/content", params={"key": "a/1.txt"}, headers=world.user)
        assert (missing.status_code, missing.json()["code"]) == (404, "mlp.core.object_not_found")

    async def test_refuses_keys_that_are_dangerous_to_save(self, http: httpx.AsyncClient, world: World) -> None:
        url = "/api/mlpcore/account/acme/s3"
        for key in ("", "../a", "a/../b", "a//b", "/a", "a\\b", "a\nb", "a\u202eb", "a/.", "x" * 1025, "я" * 513):
            put = await http.put(f"{url}/content", params={"key": key}, content=b"x", headers=world.owner)
            assert put.status_code == 400, key
        for body in ({"prefixes": ["a"]}, {"keys": ["a\n"]}, {"keys": ["a"] * 1001}):
            refused = await http.post(f"{url}/delete", json=body, headers=world.owner)
            assert (refused.status_code, refused.json()["code"]) == (400, "mlp.core.validation_error")
