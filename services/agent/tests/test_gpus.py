"""GPUs of this machine: what NVML and nvidia-smi tell, and what the platform is told when they do not answer."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import psutil
import pytest

from mlplace_agent.gpus.inventory import GpuInventory
from mlplace_agent.meter import ServerMeter
from mlplace_contracts.internal.hosting import ReportedGpu
from mlplace_testing.gpus import build_nvml, write_smi
from mlplace_testing.waiting import eventually

FIRST = "GPU-1;NVIDIA A100-SXM4-40GB;40960;1000;35;-\n"
SECOND = "GPU-2;Tesla T4;15360;0;0;-\n"
A100 = ReportedGpu(gpu_id="GPU-1", model="NVIDIA A100-SXM4-40GB", vram_mb=40960, used_vram_mb=1000, usage_percent=35)
T4 = ReportedGpu(gpu_id="GPU-2", model="Tesla T4", vram_mb=15360, used_vram_mb=0, usage_percent=0)
Start = Callable[..., AbstractAsyncContextManager[GpuInventory]]


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nvml")
    build_nvml(folder)
    return folder


@pytest.fixture(params=["nvml", "nvidia-smi"])
def source(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def machine(source: str, libraries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the GPUs of a machine that has one of the two sources."""
    path = tmp_path / "gpus.txt"
    monkeypatch.setenv("MLP_FAKE_GPUS", str(path))
    if source == "nvml":
        monkeypatch.setenv("LD_LIBRARY_PATH", str(libraries))
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        commands = tmp_path / "bin"
        commands.mkdir()
        write_smi(commands)
        monkeypatch.setenv("PATH", str(commands))
    return lambda text: (path.write_text(text), None)[1]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    @asynccontextmanager
    async def run(**changes: float) -> AsyncGenerator[GpuInventory]:
        inventory = GpuInventory(tmp_path / "stored.json", **{"seconds": 0.2, "pause_seconds": 0.1, **changes})
        inventory.start()
        yield inventory
        await inventory.close()

    return run


async def until(inventory: GpuInventory, *wanted: ReportedGpu) -> None:
    async def read() -> tuple[ReportedGpu, ...]:
        return inventory.gpus

    await eventually(read, until=lambda found: found == wanted)


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:  # it has ended, or is another user's
        return []


class TestDiscovery:
    async def test_gpus_are_found_with_their_use(self, machine: Callable[[str], None], start: Start) -> None:
        machine(FIRST + SECOND)
        async with start() as inventory:
            await until(inventory, A100, T4)
            assert inventory.missing(["GPU-2", "GPU-3"]) == ["GPU-3"]

    async def test_changes_are_seen(self, machine: Callable[[str], None], start: Start) -> None:
        machine(FIRST + SECOND)
        async with start() as inventory:
            await until(inventory, A100, T4)
            machine(FIRST.replace(";35;", ";90;") + "lost\n")
            await until(inventory, A100.model_copy(update={"usage_percent": 90}))

    async def test_a_driver_that_does_not_run_means_no_gpu(
        self, machine: Callable[[str], None], start: Start, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        machine(FIRST)
        async with start() as inventory:
            await until(inventory, A100)
        monkeypatch.setenv("MLP_FAKE_NO_DRIVER", "1")
        async with start() as inventory:
            await until(inventory)

    async def test_a_split_gpu_is_never_offered_whole(
        self, machine: Callable[[str], None], start: Start, source: str
    ) -> None:
        machine(FIRST.replace("-\n", "MIG-1a\n") + SECOND)
        part = A100.model_copy(update={"gpu_id": "MIG-1a", "vram_mb": 20480, "usage_percent": None})
        async with start() as inventory:
            await until(inventory, *([part] if source == "nvml" else []), T4)


class TestNoGpu:
    async def test_a_machine_without_library_and_command_has_none(
        self, start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        async with start() as inventory:
            await eventually(lambda: _answered(inventory))
            assert inventory.gpus == ()


class TestHangingDriver:
    async def test_known_gpus_stay_without_use_until_it_is_taken_for_lost(
        self, machine: Callable[[str], None], start: Start
    ) -> None:
        machine(FIRST)
        async with start(lost_after=4.0) as inventory:
            await until(inventory, A100)
            machine("hang\n")
            await until(inventory, A100.model_copy(update={"used_vram_mb": None, "usage_percent": None}))
            await until(inventory)
            machine(FIRST)
            await until(inventory, A100)

    async def test_a_restarted_agent_reports_the_gpus_that_it_knew(
        self, machine: Callable[[str], None], start: Start
    ) -> None:
        machine(FIRST)
        async with start() as inventory:
            await until(inventory, A100)
        machine("hang\n")
        async with start() as inventory:
            assert inventory.gpus == (A100.model_copy(update={"used_vram_mb": None, "usage_percent": None}),)

    @pytest.mark.parametrize("source", ["nvidia-smi"])
    async def test_a_command_that_hangs_ends_with_the_probe(
        self, machine: Callable[[str], None], start: Start, tmp_path: Path
    ) -> None:
        async def running() -> int:
            command = str(tmp_path / "bin" / "nvidia-smi")
            return sum(command in line for line in map(_command_line, psutil.process_iter()))

        machine("hang\n")
        async with start(seconds=30.0):
            await eventually(running, until=lambda count: count == 1)
        await eventually(running, until=lambda count: count == 0)

    async def test_capacity_is_read_at_once(self, machine: Callable[[str], None], start: Start, tmp_path: Path) -> None:
        machine("hang\n")
        async with start() as inventory:
            capacity = ServerMeter(disk_path=str(tmp_path), gpus=inventory).read(held_disk_bytes=0)
            assert capacity.gpus == ()


class TestCapacity:
    async def test_disk_of_instances_counts_as_capacity_in_use(self, tmp_path: Path) -> None:
        meter = ServerMeter(disk_path=str(tmp_path))
        without, with_ = meter.read(held_disk_bytes=0), meter.read(held_disk_bytes=2**50)
        while with_.used_milli_cpu is None:  # the system counts processor time in ticks of 10 ms
            with_ = meter.read(held_disk_bytes=2**50)
        assert (without.used_disk_mb, with_.used_disk_mb) == (0, 2**30)
        assert 2**30 <= with_.disk_mb < 2**30 + without.disk_mb * 2
        assert with_.used_ram_mb is not None
        assert 0 < with_.used_ram_mb < with_.ram_mb
        assert 0 <= with_.used_milli_cpu <= with_.milli_cpu


async def _answered(inventory: GpuInventory) -> bool:
    return inventory.answered
