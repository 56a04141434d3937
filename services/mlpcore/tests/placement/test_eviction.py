from datetime import timedelta
from typing import Any

from mlpcore.features.placement.account_room import AccountRoom, Used
from mlpcore.features.placement.eviction import Evictions, PlacedInstance, WaitingInstance, plan
from mlpcore.features.placement.room import FreeRoom

from .rooms import GIB, READY, gpu, needs, room

FREE = Used(base=99, derived=99, milli_cpu=10**6, ram_mb=10**6, disk_mb=10**6, gpu_instances=99)
ANY = AccountRoom(FREE, Used(), foreign=True)


def held(number: int, *, hours: int = 0, server: int = 1, account: int = 2, **values: Any) -> PlacedInstance:
    """Instance of a service with the same number, used last these hours before."""
    given: dict[str, Any] = {"model_id": number, "derived": False, "gpus": (), "needs": needs(ram_mb=4 * GIB), **values}
    return PlacedInstance(
        instance_id=number, account_id=account, server_id=server, used_at=READY - timedelta(hours=hours),
        model_created_at=given.pop("model_created_at", READY), **given,
    )  # fmt: skip


def full(server_id: int = 1, **values: Any) -> FreeRoom:
    return room(server_id, used_ram_mb=8 * GIB, instances=2, **values)


def wanted(**values: Any) -> WaitingInstance:
    return WaitingInstance(
        model_id=values.pop("model_id", 100), account_id=1, derived=False, ready_by=READY,
        needs=needs(**{"ram_mb": 4 * GIB, **values}),
    )  # fmt: skip


def ended(found: Evictions | None) -> tuple[list[int], list[int]]:
    assert found is not None
    return [each.instance_id for each in found.of_account], [each.instance_id for each in found.of_group]


class TestOrder:
    def test_least_recently_used_ends_first(self) -> None:
        assert ended(plan([full()], ANY, [held(1, hours=1), held(2, hours=3)], wanted())) == ([], [2])

    def test_older_service_ends_first_among_equally_used(self) -> None:
        older = held(2, model_created_at=READY - timedelta(days=9))
        assert ended(plan([full()], ANY, [held(1), older], wanted())) == ([], [2])

    def test_own_service_stays(self) -> None:
        assert ended(plan([full()], ANY, [held(1, hours=9, model_id=100), held(2)], wanted())) == ([], [2])


class TestFewest:
    def test_only_what_makes_room_ends(self) -> None:
        small = held(1, hours=9, needs=needs(ram_mb=10))
        assert ended(plan([full()], ANY, [small, held(2, hours=5)], wanted())) == ([], [2])

    def test_nothing_ends_on_a_server_that_cannot_run_the_image(self) -> None:
        rooms, queue = [full(1, runs_containers=False), full(2)], [held(1, hours=9, server=1), held(2, server=2)]
        assert ended(plan(rooms, ANY, queue, wanted(image="a/i:1"))) == ([], [2])
        assert plan(rooms[:1], ANY, queue[:1], wanted(image="a/i:1")) is None

    def test_instances_of_other_servers_stay(self) -> None:
        half = needs(ram_mb=2 * GIB)
        queue = [held(1, hours=9, server=2, needs=half), held(2, hours=5, needs=half), held(3, hours=1, needs=half)]
        assert ended(plan([full(1), full(2)], ANY, queue, wanted())) == ([], [2, 3])

    def test_nothing_ends_if_that_makes_no_room(self) -> None:
        assert plan([full()], ANY, [held(1), held(2)], wanted(ram_mb=9 * GIB)) is None
        assert plan([full(draining=True)], ANY, [held(1), held(2)], wanted()) is None

    def test_nothing_ends_when_there_is_room(self) -> None:
        assert ended(plan([full(), room(2)], ANY, [held(1)], wanted())) == ([], [])

    def test_room_of_the_caller_is_left_alone(self) -> None:
        server = full()
        plan([server], ANY, [held(1)], wanted())
        assert (server.free_ram_mb, server.instances) == (0, 2)


class TestAccount:
    LIMITED = Used(base=2, milli_cpu=10**6, ram_mb=10**6, disk_mb=10**6)

    def test_own_instances_end_when_a_limit_of_the_account_is_reached(self) -> None:
        account = AccountRoom(self.LIMITED, Used(base=2), foreign=True)
        queue = [held(1, hours=9), held(2, hours=5, account=1), held(3, hours=1, account=1)]
        assert ended(plan([room()], account, queue, wanted())) == ([2], [])

    def test_group_follows_when_the_account_s_own_do_not_make_room(self) -> None:
        account = AccountRoom(self.LIMITED, Used(base=2), foreign=True)
        queue = [held(1, hours=9), held(2, hours=5, account=1, server=2, needs=needs(ram_mb=1))]
        assert ended(plan([full(1), full(2)], account, queue, wanted())) == ([2], [1])

    def test_nobody_ends_when_the_account_has_too_little_to_end(self) -> None:
        account = AccountRoom(self.LIMITED, Used(base=4), foreign=True)
        assert plan([full()], account, [held(1), held(2, account=1)], wanted()) is None


class TestGpu:
    def test_holder_of_the_gpu_ends(self) -> None:
        server = room(gpus=[gpu("a", free=0)])
        holder = held(1, gpus=(("a", 24 * GIB),), needs=needs(gpu_count=1))
        assert ended(plan([server], ANY, [held(2, hours=9), holder], wanted(ram_mb=1, gpu_count=1))) == ([], [1])
