from hypothesis import given
from hypothesis import strategies as st

from mlpcore.features.placement.choice import NoPlace, Place, Spread, choose
from mlpcore.features.placement.needs import Needs
from mlpcore.features.placement.reasons import message_of
from mlpcore.features.placement.room import FreeRoom

from .rooms import GIB, READY, gpu, needs, room


def chosen(rooms: list[FreeRoom], wanted: Needs) -> int:
    place = choose(rooms, wanted, READY)
    assert isinstance(place, Place)
    return place.room.server_id


class TestScore:
    def test_instances_without_gpu_spread_by_the_scarcer_of_processor_and_memory(self) -> None:
        rooms = [room(1, used_ram_mb=6 * GIB), room(2, used_milli_cpu=2000), room(3, used_milli_cpu=2500)]
        assert chosen(rooms, needs()) == 2

    def test_servers_with_gpus_are_the_last_for_instances_without(self) -> None:
        assert chosen([room(1, gpus=[gpu("a")]), room(2, used_milli_cpu=3000)], needs()) == 2
        assert chosen([room(1, gpus=[gpu("a")])], needs()) == 1

    def test_instances_with_gpu_are_packed_so_that_whole_gpus_stay_free(self) -> None:
        rooms = [
            room(1, gpus=[gpu("a"), gpu("b")]),
            room(2, gpus=[gpu("c", free=20 * GIB), gpu("d")]),
            room(3, gpus=[gpu("e", free=4 * GIB), gpu("f")]),
        ]
        assert chosen(rooms, needs(gpu_count=1, vram_mb=GIB)) == 3
        assert chosen(rooms, needs(gpu_count=1, vram_mb=8 * GIB)) == 3
        assert chosen(rooms, needs(gpu_count=2)) == 1

    def test_equal_servers_are_taken_in_the_order_of_ids(self) -> None:
        assert chosen([room(2), room(1)], needs()) == 1


class TestNoPlace:
    def test_each_server_counts_once_with_the_smallest_missing_amount(self) -> None:
        rooms = [
            room(1, used_ram_mb=8 * GIB), room(2, used_ram_mb=10 * GIB), room(3, used_ram_mb=9 * GIB), room(4),
        ]  # fmt: skip
        rooms[3].fresh = False
        place = choose(rooms, needs(ram_mb=2 * GIB), READY)
        assert isinstance(place, NoPlace)
        assert place.reason == "NotEnoughRoom"
        assert place.details() == {
            "servers": 4,
            "lacking": [
                {"what": "memory", "servers": 3, "missing": 2 * GIB},
                {"what": "heartbeat", "servers": 1, "missing": 0},
            ],
        }
        assert message_of(place.details()) == "4 servers: 3 lack 2 GiB of memory, 1 not responding"

    def test_servers_that_cannot_run_the_image_are_counted(self) -> None:
        rooms = [room(number, runs_containers=False) for number in (1, 2, 3)] + [room(4, used_ram_mb=8 * GIB)]
        place = choose(rooms, needs(image="a/i:1"), READY)
        assert isinstance(place, NoPlace)
        assert message_of(place.details()) == "4 servers: 3 cannot run this image, 1 lacks 1 GiB of memory"

    def test_group_without_servers_has_no_numbers(self) -> None:
        place = choose([], needs(), READY)
        assert isinstance(place, NoPlace)
        assert (place.reason, place.details(), message_of(None)) == ("NoServerAvailable", None, None)


class TestSpread:
    @given(
        sizes=st.lists(
            st.tuples(st.integers(1, 8), st.integers(1, 8), st.booleans(), st.sampled_from([None, 2])),
            min_size=1,
            max_size=6,
        ),
        order=st.lists(st.integers(0, 3), max_size=30),
    )
    def test_series_of_choices_takes_the_same_places_as_single_ones(
        self, sizes: list[tuple[int, int, bool, int | None]], order: list[int]
    ) -> None:
        rooms = [
            room(
                number,
                milli_cpu=cores * 1000,
                ram_mb=memory * GIB,
                gpus=[gpu(f"g{number}")] if with_gpu else [],
                max_instances=most,
            )
            for number, (cores, memory, with_gpu, most) in enumerate(sizes)
        ]
        kinds = [needs(), needs(milli_cpu=300, ram_mb=2 * GIB), needs(milli_cpu=1700), needs(gpu_count=1, vram_mb=GIB)]
        spreads = {kind: Spread(rooms, kind, READY) for kind in kinds if not kind.gpu_count}
        for number in order:
            kind = kinds[number]
            alone = choose(rooms, kind, READY)
            if kind in spreads:
                place = spreads[kind].best()
                assert place == (alone if isinstance(alone, Place) else None)
            if isinstance(alone, Place):
                alone.room.take(kind, alone.gpus)
