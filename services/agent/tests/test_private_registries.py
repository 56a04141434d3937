"""Images of private registries, with a real Docker engine and a registry that wants credentials."""

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Generator
from types import SimpleNamespace
from typing import cast

import docker
import docker.errors
import pytest
from docker.models.images import Image
from pydantic import BaseModel, Field, TypeAdapter

from mlplace_agent.runtimes.container_images import PULLED_LABEL, Images
from mlplace_agent.runtimes.container_options import AGENT_LABEL
from mlplace_agent.runtimes.containers import DockerRuntime
from mlplace_agent.runtimes.port import StartFailedError
from mlplace_contracts.internal.hosting import DataMount, DesiredInstance, RegistryLogin

from .registry import Registry

Make = Callable[..., DesiredInstance]
FILES = {"weights/a": "one"}
REPOSITORY = "mlplace.invalid/private"


class _Listed(BaseModel):
    tags: list[str] | None = Field(default=None, alias="RepoTags")
    digests: list[str] | None = Field(default=None, alias="RepoDigests")


_LISTED = TypeAdapter(list[_Listed])


@pytest.fixture
def private(registry: Registry, engine: docker.DockerClient) -> Generator[Registry]:
    """Wants the credentials of `ann`. What the engine has of it is removed at the end."""
    registry.logins["ann"] = "letmein-7d"  # pragma: allowlist secret
    yield registry
    for repository, digest in registry.manifests:
        reference = f"{registry.host}/{repository}@{digest}"
        for name in (private_name(reference), reference):
            with contextlib.suppress(docker.errors.APIError):  # most are gone
                engine.images.remove(name, force=True)


def ann(registry: Registry, **changes: str) -> RegistryLogin:
    values = {"host": registry.host, "username": "ann", "password": "letmein-7d", **changes}
    return RegistryLogin.model_validate(values)


def mount(address: str, login: RegistryLogin | None = None) -> DataMount:
    return DataMount(image=address, source_path="/weights", target_path="/data", login=login)


def watched(engine: docker.DockerClient, pulled: Callable[[], None]) -> docker.DockerClient:
    """A client that calls `pulled` after each pull, before its caller goes on."""

    class Pulls:
        def __getattr__(self, name: str) -> object:
            return getattr(engine.images, name)

        def pull(self, repository: str, tag: str | None, auth_config: dict[str, str] | None) -> Image:
            image = engine.images.pull(repository, tag, auth_config=auth_config)
            pulled()
            return image

    return cast("docker.DockerClient", SimpleNamespace(api=engine.api, volumes=engine.volumes, images=Pulls()))


def private_name(reference: str) -> str:
    return f"{REPOSITORY}:{hashlib.sha256(reference.encode()).hexdigest()}"


def names(engine: docker.DockerClient, registry: Registry) -> list[str]:
    """Returns the names under which any account would find an image of the registry."""
    # The list of the SDK's objects asks for each image again, and other tests remove theirs meanwhile.
    listed = _LISTED.validate_python(engine.api.images(all=True))  # pyright: ignore[reportUnknownMemberType]  # the SDK's types lack it
    found = [name for image in listed for name in [*(image.tags or ()), *(image.digests or ())]]
    return [name for name in found if name.startswith(registry.host)]


@pytest.mark.docker
class TestServices:
    def test_image_is_pulled_with_the_credentials_and_has_no_name_that_others_find(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, private: Registry
    ) -> None:
        reference = private.add("team/s", FILES)
        images = Images(agent_id=docker_runtime.agent_id)
        source = images.source(engine, f"{private.host}/team/s:1", ann(private))
        with images.held(engine, source) as image:
            assert image.tags == [private_name(reference)]
            assert names(engine, private) == []
        assert {user for _, user in private.seen} <= {"ann", None}
        left = engine.volumes.list(filters={"label": [f"{AGENT_LABEL}={docker_runtime.agent_id}", PULLED_LABEL]})
        assert left == []

    async def test_account_without_the_right_cannot_use_what_another_one_has_pulled(
        self, docker_runtime: DockerRuntime, instance: Make, engine: docker.DockerClient, private: Registry
    ) -> None:
        reference = private.add("team/s", FILES)
        address = f"{private.host}/team/s:1"
        with pytest.raises(StartFailedError) as started:  # the image has no program, but it is there
            await docker_runtime.start(instance(image=address, login=ann(private)))
        assert started.value.reason == "StartError"
        assert engine.images.get(private_name(reference))
        digits = str(engine.images.get(private_name(reference)).id).removeprefix("sha256:")
        digest = reference.partition("@")[2]
        for asked in (address, reference, private_name(reference), f"{REPOSITORY}@{digest}", digits, digits[:12]):
            for login in (None, ann(private, password="wrong"), ann(private, host="other.example")):
                private.seen.clear()
                with pytest.raises(StartFailedError) as failed:
                    await docker_runtime.start(instance(image=asked, account_id=2, login=login))
                assert "No command specified" not in str(failed.value), "the image was found"
                assert all(user is None for _, user in private.seen)

    async def test_account_that_has_lost_the_right_cannot_start_it_any_more(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, private: Registry
    ) -> None:
        private.add("team/s", FILES)
        images = Images(agent_id=docker_runtime.agent_id)
        address = f"{private.host}/team/s:1"
        with images.held(engine, images.source(engine, address, ann(private))):
            pass
        private.logins["ann"] = "changed"
        with pytest.raises(docker.errors.APIError):
            images.source(engine, address, ann(private))

    def test_registry_is_asked_but_the_image_is_not_pulled_again(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, private: Registry
    ) -> None:
        private.add("team/s", FILES)
        images = Images(agent_id=docker_runtime.agent_id)
        address = f"{private.host}/team/s:1"
        for _ in range(2):
            private.seen.clear()
            with images.held(engine, images.source(engine, address, ann(private))):
                pass
        layer = private.layers["team/s"]
        assert [path for path, _ in private.seen if path.endswith(layer)] == []
        assert any("/manifests/1" in path for path, user in private.seen if user == "ann")

    def test_credentials_are_not_sent_to_another_registry(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, private: Registry
    ) -> None:
        private.add("team/s", FILES)
        images = Images(agent_id=docker_runtime.agent_id)
        elsewhere = ann(private, host="registry.example")
        source = images.source(engine, f"{private.host}/team/s:1", elsewhere)
        assert source.login is None
        with pytest.raises(docker.errors.APIError), images.held(engine, source):
            pass
        assert {user for _, user in private.seen} == {None}

    def test_image_that_was_pulled_without_credentials_is_used_while_its_registry_is_away(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, registry: Registry
    ) -> None:
        registry.add("open/s", FILES)
        images = Images(agent_id=docker_runtime.agent_id)
        address = f"{registry.host}/open/s:1"
        try:
            with images.held(engine, images.source(engine, address, None)):
                pass
            registry.manifests.clear()
            registry.logins["ann"] = "letmein-7d"  # pragma: allowlist secret
            for login in (None, ann(registry)):
                with images.held(engine, images.source(engine, address, login)) as image:
                    assert image.tags == [address]
        finally:
            engine.images.remove(address)

    def test_name_of_a_pull_in_progress_is_found_by_nobody(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, private: Registry
    ) -> None:
        """The engine has the image under its digest until the agent has taken that name away."""
        reference = private.add("team/s", FILES)
        images = Images(agent_id=docker_runtime.agent_id)
        source = images.source(engine, f"{private.host}/team/s:1", ann(private))
        found: list[str] = []

        def look() -> None:
            assert names(engine, private) == [reference]
            for login in (None, ann(private, password="wrong")):
                with (
                    contextlib.suppress(docker.errors.APIError),
                    images.held(engine, images.source(engine, reference, login)),
                ):
                    found.append(reference)

        with images.held(watched(engine, look), source):
            assert names(engine, private) == []
        assert found == []

    async def test_name_that_a_dead_agent_has_left_is_removed(
        self, docker_runtime: DockerRuntime, engine: docker.DockerClient, private: Registry
    ) -> None:
        private.add("team/s", FILES)
        dead = Images(agent_id=docker_runtime.agent_id)

        def die() -> None:
            raise KeyboardInterrupt

        with contextlib.suppress(KeyboardInterrupt):
            source = dead.source(engine, f"{private.host}/team/s:1", ann(private))
            with dead.held(watched(engine, die), source):
                pass
        await docker_runtime.remove_leftovers()
        assert names(engine, private) == []


@pytest.mark.docker
class TestDataImages:
    async def test_folder_is_copied_with_the_credentials_and_only_an_account_with_them_mounts_it(
        self, docker_runtime: DockerRuntime, instance: Make, engine: docker.DockerClient, private: Registry
    ) -> None:
        reference = private.add("team/w", FILES)
        address = f"{private.host}/team/w:1"
        for number in (1, 2):
            mounts = [mount(address, ann(private))]
            run = await docker_runtime.start(instance("reads", instance_id=number, data_mounts=mounts))
            await asyncio.wait_for(run.wait(), 60)
            assert "a one" in run.output.read(0, 10_000)[1]
        assert names(engine, private) == []
        with pytest.raises(docker.errors.ImageNotFound):
            engine.images.get(private_name(reference))  # only the folder was needed
        for asked in (address, reference, private_name(reference)):
            for login in (None, ann(private, username="bob")):
                with pytest.raises(StartFailedError, match="cannot be had") as failed:
                    await docker_runtime.start(instance("reads", account_id=2, data_mounts=[mount(asked, login)]))
                assert failed.value.reason == "DataImageError"

    async def test_credentials_are_in_no_container_volume_or_error(
        self, docker_runtime: DockerRuntime, instance: Make, engine: docker.DockerClient, private: Registry
    ) -> None:
        private.add("team/w", FILES)
        login = ann(private)
        run = await docker_runtime.start(instance(data_mounts=[mount(f"{private.host}/team/w:1", login)], login=login))
        label = f"{AGENT_LABEL}={docker_runtime.agent_id}"
        (container,) = engine.containers.list(filters={"label": label})
        kept = [container.attrs, *(volume.attrs for volume in engine.volumes.list(filters={"label": label}))]
        assert len(kept) == 3
        assert login.password not in repr(kept) + repr(login)
        await run.kill()
        missing = instance(data_mounts=[mount(f"{private.host}/team/none:1", login)])
        with pytest.raises(StartFailedError) as failed:
            await docker_runtime.start(missing)
        assert login.password not in str(failed.value)
