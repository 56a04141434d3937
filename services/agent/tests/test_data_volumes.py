"""Data images in instances that run as containers, with a real Docker engine."""

import asyncio
import contextlib
import errno
import io
import tarfile
import threading
import uuid
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor

import docker
import docker.errors
import pytest

from mlplace_agent.config import DockerOptions
from mlplace_agent.runtimes.container_data import DATA_LABEL, DataVolumes
from mlplace_agent.runtimes.container_disk import disk_use
from mlplace_agent.runtimes.container_images import PULLED_LABEL, Images
from mlplace_agent.runtimes.container_options import AGENT_LABEL
from mlplace_agent.runtimes.container_private import ImageSource
from mlplace_agent.runtimes.container_room import DataRoom
from mlplace_agent.runtimes.containers import DockerRuntime
from mlplace_agent.runtimes.port import RefusedError, Run, StartFailedError
from mlplace_agent.runtimes.process import ProcessRuntime
from mlplace_contracts.internal.hosting import DataMount, DesiredInstance
from mlplace_testing.waiting import eventually

from .conftest import TEST_IMAGE
from .registry import Registry

Make = Callable[..., DesiredInstance]
MakeImage = Callable[..., str]


@pytest.fixture
def data_image(engine: docker.DockerClient) -> Generator[MakeImage]:
    """Makes an image with these texts in files, by path, under an address that stays the same."""
    repository = f"mlplace-agent-data-{uuid.uuid4().hex[:12]}"

    def make(files: Mapping[str, str], changes: str | None = None) -> str:
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for path, text in files.items():
                info = tarfile.TarInfo(path)
                info.size = len(text)
                tar.addfile(info, io.BytesIO(text.encode()))
        container = engine.containers.create(TEST_IMAGE)
        try:
            container.put_archive("/", archive.getvalue())
            container.commit(repository=repository, tag="latest", changes=changes)
        finally:
            container.remove(force=True)
        return f"{repository}:latest"

    yield make
    for image in engine.images.list(repository):
        engine.images.remove(str(image.id), force=True)


def mount(address: str, source: str = "/weights", target: str = "/data") -> DataMount:
    return DataMount(image=address, source_path=source, target_path=target)


def volumes(engine: docker.DockerClient, runtime: DockerRuntime) -> list[str]:
    found = engine.volumes.list(filters={"label": [f"{AGENT_LABEL}={runtime.agent_id}", DATA_LABEL]})
    return sorted(str(volume.name) for volume in found)


def data_volumes(
    runtime: DockerRuntime,
    *,
    one: int = 2**30,
    total: int = 2**30,
    unused_seconds: float = 600,
    remembered: float = 600,
) -> DataVolumes:
    room = DataRoom(agent_id=runtime.agent_id, one=one, total=total, remembered_seconds=remembered)
    images = Images(agent_id=runtime.agent_id)
    return DataVolumes(agent_id=runtime.agent_id, images=images, room=room, kept=set(), unused_seconds=unused_seconds)


def pulled(engine: docker.DockerClient, runtime: DockerRuntime) -> list[str]:
    found = engine.volumes.list(filters={"label": [f"{AGENT_LABEL}={runtime.agent_id}", PULLED_LABEL]})
    return [str(volume.name) for volume in found]


def fill(volumes: DataVolumes, engine: docker.DockerClient, *mounts: DataMount) -> None:
    with volumes.ready(engine, mounts, asking=engine):
        pass


async def said(run: Run) -> str:
    await asyncio.wait_for(run.wait(), 60)
    return run.output.read(0, 10_000)[1]


@pytest.mark.docker
class TestMounts:
    async def test_an_instance_reads_the_folder_and_cannot_write_to_it(
        self, docker_runtime: DockerRuntime, instance: Make, data_image: MakeImage
    ) -> None:
        address = data_image({"weights/a": "one", "weights/b": "two", "other/c": "three"})
        run = await docker_runtime.start(instance("reads", data_mounts=[mount(address)]))
        assert (await said(run)).split("\n")[:3] == ["a one", "b two", f"refused with {errno.EROFS}"]

    async def test_an_empty_folder_does_not_get_what_the_image_of_the_service_has_there(
        self, docker_runtime: DockerRuntime, instance: Make, data_image: MakeImage, engine: docker.DockerClient
    ) -> None:
        address = data_image({"weights/inner/a": "one"})
        run = await docker_runtime.start(instance(data_mounts=[mount(address, target="/usr/share")]))
        (name, _) = volumes(engine, docker_runtime)
        await run.kill()
        listed = engine.containers.run(TEST_IMAGE, ["ls", "/v"], volumes={name: {"bind": "/v"}}, remove=True)
        assert listed.decode().split() == ["inner"]

    async def test_instances_that_start_together_share_one_volume_that_is_filled_once(
        self, docker_runtime: DockerRuntime, instance: Make, data_image: MakeImage, engine: docker.DockerClient
    ) -> None:
        address = data_image({"weights/a": "one"})
        starts = [docker_runtime.start(instance("reads", instance_id=n, data_mounts=[mount(address)])) for n in (1, 2)]
        runs = await asyncio.gather(*starts)
        assert ["a one" in await said(run) for run in runs] == [True, True]
        assert len(volumes(engine, docker_runtime)) == 2  # the second one says that the first one is whole

    async def test_a_new_image_under_the_same_address_is_seen_by_the_next_start(
        self, docker_runtime: DockerRuntime, instance: Make, data_image: MakeImage
    ) -> None:
        address = data_image({"weights/a": "one"})
        first = await docker_runtime.start(instance("reads", data_mounts=[mount(address)]))
        assert "a one" in await said(first)
        data_image({"weights/a": "two"})
        second = await docker_runtime.start(instance("reads", instance_id=8, data_mounts=[mount(address)]))
        assert "a two" in await said(second)

    @pytest.mark.parametrize("source", ["/missing", "/weights/a"])
    async def test_an_image_without_the_folder_fails_the_start_and_leaves_nothing(
        self, docker_runtime: DockerRuntime, instance: Make, data_image: MakeImage, engine: docker.DockerClient,
        source: str,
    ) -> None:  # fmt: skip
        address = data_image({"weights/a": "one"})
        with pytest.raises(StartFailedError, match=f"has no folder {source}") as failed:
            await docker_runtime.start(instance("reads", data_mounts=[mount(address, source)]))
        assert failed.value.reason == "DataImageError"
        assert volumes(engine, docker_runtime) == []
        label = f"{AGENT_LABEL}={docker_runtime.agent_id}"
        assert engine.containers.list(all=True, filters={"label": label}) == []

    async def test_a_volume_whose_filling_was_broken_off_is_filled_anew(
        self, docker_runtime: DockerRuntime, instance: Make, data_image: MakeImage, engine: docker.DockerClient
    ) -> None:
        address = data_image({"weights/a": "one"})
        await said(await docker_runtime.start(instance("reads", data_mounts=[mount(address)])))
        await docker_runtime.remove_leftovers()
        name, whole = volumes(engine, docker_runtime)
        engine.containers.run(TEST_IMAGE, ["rm", "/v/a"], volumes={name: {"bind": "/v"}}, remove=True)
        engine.volumes.get(whole).remove()
        run = await docker_runtime.start(instance("reads", data_mounts=[mount(address)]))
        assert "a one" in await said(run)

    async def test_a_volume_in_use_stays_whole_when_somebody_removes_its_mark(
        self, docker_runtime: DockerRuntime, instance: Make, data_image: MakeImage, engine: docker.DockerClient
    ) -> None:
        """A prune of unused volumes takes the mark, which no container mounts."""
        address = data_image({"weights/a": "one"})
        first = await docker_runtime.start(instance(data_mounts=[mount(address)]))
        _, whole = volumes(engine, docker_runtime)
        engine.volumes.get(whole).remove()
        second = await docker_runtime.start(instance("reads", instance_id=8, data_mounts=[mount(address)]))
        assert "a one" in await said(second)
        assert whole in volumes(engine, docker_runtime)
        await first.kill()

    async def test_filling_leaves_no_volume_that_the_image_declares(
        self, docker_runtime: DockerRuntime, instance: Make, data_image: MakeImage, engine: docker.DockerClient
    ) -> None:
        address = data_image({"weights/a": "one", "junk/b": "two"}, "VOLUME /junk")
        before = {str(volume.name) for volume in engine.volumes.list()}
        run = await docker_runtime.start(instance("reads", data_mounts=[mount(address)]))
        assert "a one" in await said(run)
        await docker_runtime.remove_leftovers()
        # Other tests make volumes, too: those of agents would be in use here when they are removed there.
        others = [found for found in engine.volumes.list() if AGENT_LABEL not in (found.attrs.get("Labels") or {})]
        for name in {str(found.name) for found in others} - before:
            with contextlib.suppress(docker.errors.APIError):  # it is gone meanwhile
                there = {name: {"bind": "/v", "mode": "ro"}}
                listed = engine.containers.run(TEST_IMAGE, ["ls", "/v"], volumes=there, remove=True)
                assert listed.decode().split() != ["b"]

    async def test_part_of_an_id_is_no_address(
        self, docker_runtime: DockerRuntime, instance: Make, data_image: MakeImage, engine: docker.DockerClient
    ) -> None:
        """The engine would find any image on it, of whichever account."""
        address = data_image({"weights/a": "one"})
        digits = str(engine.images.get(address).id).removeprefix("sha256:")
        for text in (digits, digits[:12], f"sha256:{digits[:12]}"):
            with pytest.raises(StartFailedError, match="cannot be had"):
                await docker_runtime.start(instance("reads", data_mounts=[mount(text)]))
            with pytest.raises(StartFailedError):
                await docker_runtime.start(instance(image=text))
            assert engine.images.get(address), f"removed as {text}"

    async def test_a_failure_does_not_tell_a_hidden_address(
        self, docker_runtime: DockerRuntime, instance: Make
    ) -> None:
        secret = mount("127.0.0.1:1/hidden/weights:1")
        for hidden in (True, False):
            given = secret.model_copy(update={"address_hidden": hidden})
            with pytest.raises(StartFailedError) as failed:
                await docker_runtime.start(instance(data_mounts=[given]))
            assert ("127.0.0.1:1" in str(failed.value)) is not hidden

    async def test_the_data_does_not_count_as_what_the_instance_has_written(
        self, docker_runtime: DockerRuntime, instance: Make, data_image: MakeImage, engine: docker.DockerClient
    ) -> None:
        address = data_image({"weights/a": "x" * 8 * 2**20})
        run = await docker_runtime.start(instance(data_mounts=[mount(address)]))
        label = f"{AGENT_LABEL}={docker_runtime.agent_id}"
        (container,) = engine.containers.list(filters={"label": label})
        assert 0 <= (disk_use(container) or 0) < 2**20
        await run.kill()


@pytest.mark.docker
class TestSweep:
    async def test_volumes_go_when_no_instance_has_used_them_for_a_while(
        self, docker_runtime: DockerRuntime, instance: Make, data_image: MakeImage, engine: docker.DockerClient
    ) -> None:
        address = data_image({"weights/a": "one"})
        run = await docker_runtime.start(instance(data_mounts=[mount(address)]))
        at_once = data_volumes(docker_runtime, unused_seconds=0)
        assert at_once.remove_unused(engine) == 0
        await run.kill()
        later = data_volumes(docker_runtime)
        assert later.remove_unused(engine) == 0
        with at_once.ready(engine, [mount(address)], asking=engine):
            assert at_once.remove_unused(engine) == 0, "an instance is about to use it"
        assert at_once.remove_unused(engine) == 1
        assert volumes(engine, docker_runtime) == []

    async def test_volumes_of_other_agents_and_people_stay(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient
    ) -> None:
        labels = {AGENT_LABEL: "another", DATA_LABEL: "sha256:1"}
        others = [engine.volumes.create(labels=labels), engine.volumes.create()]
        try:
            own = data_volumes(docker_runtime, unused_seconds=0)
            assert own.remove_unused(engine) == 0
            for each in others:
                each.reload()
        finally:
            for each in others:
                each.remove()


@pytest.mark.docker
class TestBounds:
    async def test_a_folder_above_the_limit_fails_the_start_and_leaves_nothing(
        self, docker_runtime: DockerRuntime, data_image: MakeImage, engine: docker.DockerClient
    ) -> None:
        large = mount(data_image({"weights/a": "x" * 3 * 2**20}))
        bounded = data_volumes(docker_runtime, one=2 * 2**20)
        for _ in range(2):  # the second one remembers the first
            with pytest.raises(StartFailedError, match=r"/weights .* /data has more than 2 MiB") as failed:
                fill(bounded, engine, large)
            assert failed.value.reason == "DataImageError"
        assert volumes(engine, docker_runtime) == []
        label = f"{AGENT_LABEL}={docker_runtime.agent_id}"
        assert engine.containers.list(all=True, filters={"label": label}) == []
        with data_volumes(docker_runtime, one=4 * 2**20).ready(engine, [large], asking=engine):
            assert len(volumes(engine, docker_runtime)) == 2

    async def test_a_link_to_a_large_folder_does_not_get_around_the_limit(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, registry: Registry
    ) -> None:
        registry.add("data/linked", {"large/a": "x" * 3 * 2**20}, links={"weights": "large"})
        bounded = data_volumes(docker_runtime, one=2 * 2**20)
        with pytest.raises(StartFailedError, match="more than 2 MiB"):
            fill(bounded, engine, mount(f"{registry.host}/data/linked:1"))
        with data_volumes(docker_runtime).ready(engine, [mount(f"{registry.host}/data/linked:1")], asking=engine) as (
            found,
        ):
            there = {str(found["Source"]): {"bind": "/v"}}
            assert engine.containers.run(TEST_IMAGE, ["ls", "/v"], volumes=there, remove=True).decode().split() == ["a"]

    async def test_all_folders_together_have_bounded_room(
        self, docker_runtime: DockerRuntime, data_image: MakeImage, engine: docker.DockerClient
    ) -> None:
        address = data_image({"one/a": "x" * 2**20, "two/a": "x" * 2**20})
        bounded = data_volumes(docker_runtime, total=3 * 2**19)
        one, two = mount(address, "/one", "/data/one"), mount(address, "/two", "/data/two")
        with bounded.ready(engine, [one], asking=engine):
            with pytest.raises(StartFailedError, match=r"of the 1\.5 MiB that this server has") as failed:
                fill(bounded, engine, two)
            assert failed.value.reason == "DataImageError"
            assert len(volumes(engine, docker_runtime)) == 2
            fill(bounded, engine, one)  # it is there already
        with bounded.ready(engine, [two], asking=engine):  # nobody uses the other one any more
            assert len(volumes(engine, docker_runtime)) == 2
            fill(bounded, engine, two)  # that it found no room before does not count any more

    async def test_folders_that_are_copied_at_once_do_not_share_the_last_room(
        self, docker_runtime: DockerRuntime, data_image: MakeImage, engine: docker.DockerClient
    ) -> None:
        address = data_image({f"f{n}/a": "x" * 2**20 for n in range(4)})
        bounded = data_volumes(docker_runtime, total=5 * 2**19)

        def start(number: int) -> bool:
            with bounded.ready(engine, [mount(address, f"/f{number}")], asking=engine):
                ended.wait(60)
            return True

        async def refused() -> int:
            return sum(task.done() for task in starts)

        ended = threading.Event()
        with ThreadPoolExecutor(4) as threads:  # the loop's own threads are fewer, and other tests use them
            starts = [threads.submit(start, number) for number in range(4)]
            try:
                await eventually(refused, until=lambda count: count == 2, seconds=60)
            finally:
                ended.set()
        results = [task.exception() for task in starts]
        assert sum(isinstance(result, StartFailedError) for result in results) == 2

    async def test_room_is_reserved_before_the_volume_exists(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient
    ) -> None:
        room = DataRoom(agent_id=docker_runtime.agent_id, one=100, total=100)
        with (
            room.taken(engine, "first", mount("acme/w"), 60, free=lambda: 0),
            pytest.raises(StartFailedError, match="in use"),
            room.taken(engine, "second", mount("acme/w"), 60, free=lambda: 0),
        ):
            raise AssertionError
        with room.taken(engine, "second", mount("acme/w"), 60, free=lambda: 0):
            pass

    async def test_the_settings_of_the_agent_are_the_bounds(
        self, instance: Make, data_image: MakeImage, docker_runtime: DockerRuntime
    ) -> None:
        address = data_image({"weights/a": "x" * 2**20})
        for changed in ({"data_image_megabytes": 0.5}, {"data_images_megabytes": 0.5}):
            options = DockerOptions.model_validate({"enabled": True, **changed})
            bounded = DockerRuntime(options, agent_id=docker_runtime.agent_id)
            with pytest.raises(StartFailedError, match=r"0\.5 MiB"):
                await bounded.start(instance(data_mounts=[mount(address)]))
            await bounded.close()


@pytest.mark.docker
class TestLayers:
    """What remains of an image that was pulled."""

    async def test_image_pulled_for_its_folder_is_removed_after_the_copy_and_not_pulled_again(
        self, docker_runtime: DockerRuntime, instance: Make, engine: docker.DockerClient, registry: Registry
    ) -> None:
        registry.add("data/w", {"weights/a": "one"})
        address = f"{registry.host}/data/w:1"
        for number in (1, 2):
            run = await docker_runtime.start(instance("reads", instance_id=number, data_mounts=[mount(address)]))
            assert "a one" in await said(run)
            with pytest.raises(docker.errors.ImageNotFound):
                engine.images.get(address)
            if number == 1:
                registry.seen.clear()
        assert registry.seen == []
        assert pulled(engine, docker_runtime) == []

    async def test_one_that_the_engine_had_before_stays(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, registry: Registry
    ) -> None:
        registry.add("data/had", {"weights/a": "one"})
        address = f"{registry.host}/data/had:1"
        engine.images.pull(address)
        try:
            fill(data_volumes(docker_runtime), engine, mount(address))
            assert engine.images.get(address)
        finally:
            engine.images.remove(address)

    async def test_one_that_a_container_uses_stays(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, registry: Registry
    ) -> None:
        registry.add("data/used", {"weights/a": "one"})
        address = f"{registry.host}/data/used:1"
        images = Images(agent_id=docker_runtime.agent_id)
        with images.held(engine, ImageSource(address, address), temporary=True) as image:
            container = engine.containers.create(image, ["-"])
        try:
            assert engine.images.get(address)
            images.remove_temporary(engine)
            assert engine.images.get(address)
            assert pulled(engine, docker_runtime) == []
        finally:
            container.remove(force=True)
            engine.images.remove(address)

    async def test_one_whose_start_goes_on_stays_until_a_sweep(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, registry: Registry
    ) -> None:
        registry.add("data/held", {"weights/a": "one"})
        address = f"{registry.host}/data/held:1"
        images = Images(agent_id=docker_runtime.agent_id)
        with images.held(engine, ImageSource(address, address)):
            engine.images.remove(address)
            with images.held(engine, ImageSource(address, address), temporary=True):
                pass
            images.remove_temporary(engine)
            assert engine.images.get(address)
        images.remove_temporary(engine)
        with pytest.raises(docker.errors.ImageNotFound):
            engine.images.get(address)

    async def test_one_that_found_no_room_is_removed_and_not_pulled_at_each_attempt(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, registry: Registry
    ) -> None:
        registry.add("data/large", {"weights/a": "x" * 2**20})
        address = f"{registry.host}/data/large:1"
        for bounds in ({"one": 2**19}, {"total": 2**19}):
            bounded = data_volumes(docker_runtime, **bounds)
            for attempt in (1, 2):
                with pytest.raises(StartFailedError, match="MiB"):
                    fill(bounded, engine, mount(address))
                with pytest.raises(docker.errors.ImageNotFound):
                    engine.images.get(address)
                if attempt == 1:
                    registry.seen.clear()
            assert registry.seen == []

    async def test_what_an_agent_that_died_has_pulled_is_removed_by_the_next_one(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, registry: Registry
    ) -> None:
        registry.add("data/died", {"weights/a": "one"})
        address = f"{registry.host}/data/died:1"
        died = Images(agent_id=docker_runtime.agent_id).held(engine, ImageSource(address, address), temporary=True)
        died.__enter__()
        assert engine.images.get(address)
        await docker_runtime.sweep()
        with pytest.raises(docker.errors.ImageNotFound):
            engine.images.get(address)
        assert pulled(engine, docker_runtime) == []


async def test_a_program_that_is_no_container_is_refused(process_runtime: ProcessRuntime, instance: Make) -> None:
    with pytest.raises(RefusedError, match="cannot mount data images"):
        await process_runtime.start(instance(data_mounts=[mount("acme/weights")]))
