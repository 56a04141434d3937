from typing import Any

import pytest

from mlpcore.features.placement.needs import Needs, needs_of

LIMITS: dict[str, Any] = {"cpuRequest": "100m", "memoryLimit": "500Mi", "ephemeralDiskLimit": "100Mi"}


class TestNeeds:
    def test_amounts_are_rounded_up_to_whole_units(self) -> None:
        read = needs_of({"cpuRequest": "0.0001", "memoryLimit": "1M", "ephemeralDiskLimit": "1"})
        assert (read.milli_cpu, read.ram_mb, read.disk_mb) == (1, 1, 1)

    def test_defaults_of_a_service_need_no_gpu(self) -> None:
        assert needs_of(LIMITS) == Needs(milli_cpu=100, ram_mb=500, disk_mb=100)

    @pytest.mark.parametrize(("count", "needed"), [(None, 1), (3, 3)])
    def test_requested_gpu_is_one_unless_a_count_is_given(self, count: int | None, needed: int) -> None:
        read = needs_of({**LIMITS, "gpuRequested": True, "gpuCount": count, "gpuMemoryLimitMb": 2048})
        assert (read.gpu_count, read.vram_mb) == (needed, 2048)

    def test_gpu_fields_mean_nothing_unless_a_gpu_is_requested(self) -> None:
        read = needs_of({**LIMITS, "gpuRequested": False, "gpuCount": 2, "gpuMemoryLimitMb": 2048})
        assert (read.gpu_count, read.vram_mb) == (0, None)

    def test_models_are_compared_without_case_and_labels_are_sorted(self) -> None:
        limits = {**LIMITS, "gpuModels": ["NVIDIA L4"], "serverLabels": {"zone": "b", "disk": "ssd"}}
        read = needs_of(limits)
        assert read.gpu_models == {"nvidia l4"}
        assert read.labels == (("disk", "ssd"), ("zone", "b"))
