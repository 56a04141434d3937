from datetime import timedelta
from typing import Any

import pytest

from mlpcore.features.placement.room import Lack, Refusal

from .rooms import GIB, READY, gpu, needs, room

L4S = [gpu("a"), gpu("b")]


class TestRefusal:
    @pytest.mark.parametrize(
        ("server", "lack"),
        [
            ({"fresh": False}, Lack.HEARTBEAT),
            ({"draining": True}, Lack.AVAILABILITY),
            ({"expires_at": READY}, Lack.LIFETIME),
            ({"labels": {"zone": "a"}, "runs_containers": False}, Lack.IMAGE),
            ({"labels": {"zone": "a"}}, Lack.LABELS),
            ({"labels": {}}, Lack.LABELS),
            ({"labels": {"zone": "b"}, "max_instances": 2, "instances": 2}, Lack.INSTANCES),
        ],
    )
    def test_server_that_may_not_be_used_is_refused(self, server: dict[str, Any], lack: Lack) -> None:
        assert room(**server).refusal(needs(labels=(("zone", "b"),), image="a/i:1"), READY) == Refusal(lack)

    def test_server_that_outlives_the_start_is_taken(self) -> None:
        assert room(expires_at=READY + timedelta(seconds=1)).refusal(needs(), READY) is None

    @pytest.mark.parametrize(
        ("containers", "programs", "mounts", "runs"),
        [
            (True, (), True, True),
            (False, (), False, False),
            (False, ("a/i:2",), False, False),
            (False, ("a/i:1",), False, True),
            (False, ("a/i:1",), True, False),
            (True, ("a/i:1",), True, False),
            (True, ("a/i:1",), False, True),
        ],
    )
    def test_image_runs_in_containers_or_as_a_program_that_reads_no_data_images(
        self, containers: bool, programs: tuple[str, ...], mounts: bool, runs: bool
    ) -> None:
        server = room(runs_containers=containers, programs=frozenset(programs))
        wanted = needs(image="a/i:1", mounts=mounts)
        assert server.refusal(wanted, READY) == (None if runs else Refusal(Lack.IMAGE))
        assert server.refusal(needs(), READY) is None

    @pytest.mark.parametrize(
        ("used", "refusal"),
        [
            ({"used_milli_cpu": 3000}, None),
            ({"used_milli_cpu": 3001}, Refusal(Lack.CPU, 1)),
            ({"used_ram_mb": 7 * GIB}, None),
            ({"used_ram_mb": 9 * GIB}, Refusal(Lack.MEMORY, 2 * GIB)),
            ({"used_disk_mb": 99 * GIB}, None),
            ({"used_disk_mb": 99 * GIB + 5}, Refusal(Lack.DISK, 5)),
        ],
    )
    def test_exactly_the_free_amount_fits_and_one_more_does_not(
        self, used: dict[str, int], refusal: Refusal | None
    ) -> None:
        assert room(**used).refusal(needs(), READY) == refusal

    @pytest.mark.parametrize(
        ("gpus", "wanted", "refusal"),
        [
            ([], {"gpu_count": 1}, Refusal(Lack.GPU, 1)),
            (L4S, {"gpu_count": 3}, Refusal(Lack.GPU, 1)),
            (L4S, {"gpu_count": 2, "gpu_models": frozenset({"nvidia a100"})}, Refusal(Lack.GPU_MODEL, 2)),
            ([gpu("a"), gpu("b", free=23 * GIB)], {"gpu_count": 2}, Refusal(Lack.FREE_GPU, 1)),
            ([gpu("a"), gpu("b", free=1 * GIB)], {"gpu_count": 2, "vram_mb": 2 * GIB}, Refusal(Lack.VRAM, GIB)),
            ([gpu("a", free=2 * GIB), gpu("b")], {"gpu_count": 2, "vram_mb": 2 * GIB}, None),
            ([gpu("a"), gpu("b", free=0)], {"gpu_count": 1}, None),
        ],
    )
    def test_gpus_are_compared_by_number_model_and_free_memory(
        self, gpus: list[Any], wanted: dict[str, Any], refusal: Refusal | None
    ) -> None:
        assert room(gpus=gpus).refusal(needs(**wanted), READY) == refusal


class TestTake:
    def test_whole_gpu_is_full_for_everybody_else(self) -> None:
        server = room(gpus=[gpu("a")])
        alone = needs(gpu_count=1)
        server.take(alone, server.gpus_for(alone))
        assert server.refusal(needs(gpu_count=1, vram_mb=1), READY) == Refusal(Lack.VRAM, 1)

    def test_shared_gpu_is_no_longer_free_as_a_whole(self) -> None:
        server = room(gpus=[gpu("a")])
        part = needs(gpu_count=1, vram_mb=GIB)
        server.take(part, server.gpus_for(part))
        assert server.gpus[0].free_mb == 23 * GIB
        assert server.refusal(needs(gpu_count=1), READY) == Refusal(Lack.FREE_GPU, 1)

    def test_part_of_a_gpu_goes_to_the_fullest_that_fits(self) -> None:
        server = room(gpus=[gpu("a"), gpu("b", free=2 * GIB), gpu("c", free=GIB)])
        assert [g.gpu_id for g in server.gpus_for(needs(gpu_count=1, vram_mb=2 * GIB))] == ["b"]
