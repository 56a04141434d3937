"""What the platform expects of each provider, whoever begins its turns.

The provider is real, the platform is real, and what runs is written down by `Machine`.
"""

from datetime import timedelta

from mlpcore.features.providers.port import Capability
from mlpcore.features.providers.registry import PROVIDERS
from mlplace_kit.clock import ManualClock

from .machine import RAM_MB, Site, Work
from .owner import ACCOUNT, Owner
from .subjects import CALLED, SUBJECTS

MIB = 2**20


def test_each_provider_of_the_platform_fulfils_the_contract() -> None:
    assert set(SUBJECTS) - {CALLED} == set(PROVIDERS)


async def test_groups_are_of_types_that_have_a_provider(owner: Owner) -> None:
    assert await owner.read(f"{ACCOUNT}/resource-group-types") == [kind.value for kind in PROVIDERS]


async def started(owner: Owner, site: Site, count: int = 1) -> list[int]:
    """Returns the ids of instances that run on the site."""
    await site.turn()
    numbers = await owner.scale(count)
    await site.turn()
    return numbers


class TestCapacity:
    async def test_instances_get_room_once_it_is_known(self, owner: Owner, site: Site) -> None:
        await owner.scale(1)
        (waiting,) = await owner.instances()
        assert waiting["serverId"] is None
        await site.turn()
        await owner.reconcile()
        (placed,) = await owner.instances()
        assert placed["serverId"] == site.server_id

    async def test_no_more_than_it_has_is_given_away(self, owner: Owner, site: Site) -> None:
        assert RAM_MB == 4000
        numbers = await started(owner, site, 5)
        assert (len(numbers), len(site.machine.running)) == (5, 4)


class TestStart:
    async def test_instance_starts_once_with_what_it_needs(self, owner: Owner, site: Site) -> None:
        (number,) = await started(owner, site)
        await site.turns(3)
        (work,) = site.machine.started
        assert (work.instance_id, work.image, work.memory_bytes) == (number, "acme/greeting:1", 1000 * MIB)
        variables = dict(work.variables)
        assert variables["GREETING"] == "hello"
        assert variables["MLP_INSTANCE_ID"] == str(number)
        assert variables["MLP_SERVICE_TOKEN"]

    async def test_its_owner_sees_that_it_runs(self, owner: Owner, site: Site) -> None:
        (number,) = await started(owner, site)
        assert (await owner.last_state(number))["running"] is None
        await site.turn()
        assert (await owner.last_state(number))["running"]["startedAt"] is not None

    async def test_interrupted_turn_is_begun_anew(self, owner: Owner, site: Site) -> None:
        await site.turn()
        (number,) = await owner.scale(1)
        await site.turn(interrupted=True)
        assert not site.machine.running
        await site.turns(2)
        assert [work.instance_id for work in site.machine.started] == [number]

    async def test_what_a_look_does_not_show_is_started_again_with_all_it_needs(self, owner: Owner, site: Site) -> None:
        (number,) = await started(owner, site)
        await site.turn()
        site.machine.forget([number])
        await site.turns(2)
        first, second = site.machine.started
        assert first == second

    async def test_new_generation_replaces_the_earlier_one(self, owner: Owner, site: Site) -> None:
        (number,) = await started(owner, site)
        before = site.machine.running[number]
        await owner.leave_server(number)
        await owner.reconcile()
        await site.turns(3)
        assert [work.generation for work in site.machine.started] == [before, before + 1]
        assert site.machine.running == {number: before + 1}


class TestStop:
    async def test_removed_instance_ends_and_gives_its_room_back(self, owner: Owner, site: Site) -> None:
        await started(owner, site)
        await owner.scale(0)
        assert await owner.allocated() == 1
        await site.turn()
        assert not site.machine.running
        await site.turn()
        assert (await owner.instances(), await owner.allocated()) == ([], 0)
        await site.turn()
        assert not site.machine.runs

    async def test_lost_order_to_stop_comes_again(self, owner: Owner, site: Site) -> None:
        await started(owner, site)
        await owner.scale(0)
        await site.turn(interrupted=True)
        assert site.machine.running
        await site.turns(2)
        assert (site.machine.running, await owner.instances()) == ({}, [])

    async def test_instance_that_never_ran_ends_too(self, owner: Owner, site: Site) -> None:
        await site.turn()
        await owner.scale(1)
        await owner.scale(0)
        await site.turns(2)
        assert (site.machine.started, await owner.instances(), await owner.allocated()) == ([], [], 0)

    async def test_connected_instance_may_finish_its_calls(self, owner: Owner, site: Site, clock: ManualClock) -> None:
        (number,) = await started(owner, site)
        await owner.connect(number)
        await owner.scale(0)
        await site.turns(2)
        assert number in site.machine.running
        clock.advance(timedelta(minutes=5))
        await site.turns(2)
        assert (site.machine.running, await owner.instances()) == ({}, [])

    async def test_connected_instance_that_the_server_does_not_show_is_not_started_anew(
        self, owner: Owner, site: Site, clock: ManualClock
    ) -> None:
        (number,) = await started(owner, site)
        await owner.connect(number)
        await owner.scale(0)
        site.machine.forget([number])
        await site.turns(2)
        assert (site.ordered, len(site.machine.started)) == ({}, 1)
        clock.advance(timedelta(minutes=5))
        await site.turns(2)
        assert (len(site.machine.started), await owner.instances(), await owner.allocated()) == (1, [], 0)

    async def test_earlier_generation_of_a_connected_instance_may_finish_its_calls(
        self, owner: Owner, site: Site, clock: ManualClock
    ) -> None:
        (number,) = await started(owner, site)
        before = site.machine.running[number]
        await owner.connect(number)
        await owner.leave_server(number)
        await owner.reconcile()
        await owner.scale(0)
        await site.turns(2)
        assert (site.ordered, site.machine.running) == ({}, {number: before})
        clock.advance(timedelta(minutes=5))
        await site.turns(2)
        assert (site.machine.running, await owner.instances(), len(site.machine.started)) == ({}, [], 1)

    async def test_others_go_on(self, owner: Owner, site: Site) -> None:
        await started(owner, site, 3)
        left = await owner.scale(3)
        await site.turn()
        await owner.scale(2)
        await site.turns(2)
        assert len(site.machine.running) == 2
        assert site.machine.running.keys() < set(left)
        assert len(site.machine.started) == 3


class TestSweep:
    async def test_what_nobody_ordered_ends(self, owner: Owner, site: Site) -> None:
        (number,) = await started(owner, site)
        site.machine.start(Work(instance_id=10**9, generation=2))
        await site.turns(2)
        assert site.machine.runs.keys() == {number}

    async def test_instance_that_has_left_the_server_ends_there(self, owner: Owner, site: Site) -> None:
        (number,) = await started(owner, site)
        await owner.leave_server(number)
        await site.turn()
        assert not site.machine.runs


class TestLook:
    async def test_end_of_a_run_is_seen(self, owner: Owner, site: Site) -> None:
        (number,) = await started(owner, site)
        site.machine.crash(number)
        await site.turn()
        assert (await owner.last_state(number))["terminated"]["exitCode"] == 3
        (shown,) = await owner.instances()
        assert (shown["statusInfo"]["totalStatus"], shown["restartCount"]) == ("FAILED", 1)
        assert len(site.machine.started) == 1, "the provider itself starts it again"

    async def test_what_is_seen_of_an_instance_elsewhere_changes_nothing(self, owner: Owner, site: Site) -> None:
        (number,) = await owner.scale(1)
        site.machine.start(Work(instance_id=number, generation=1))
        site.machine.crash(number)
        await site.turn()
        (shown,) = await owner.instances()
        assert (shown["statusInfo"]["podStatus"], shown["restartCount"]) == ("IDLE", 0)
        assert not site.machine.runs

    async def test_what_is_seen_of_an_earlier_generation_changes_nothing(self, owner: Owner, site: Site) -> None:
        (number,) = await started(owner, site)
        await owner.leave_server(number)
        await owner.reconcile()
        site.machine.crash(number)
        await site.turn(interrupted=True)
        (shown,) = await owner.instances()
        assert (shown["statusInfo"]["podStatus"], shown["restartCount"]) == ("SCHEDULED", 0)


class TestCapabilities:
    async def test_what_goes_on_needs_no_order(self, owner: Owner, site: Site) -> None:
        await started(owner, site)
        await site.turn()
        assert site.ordered == {}

    async def test_without_it_the_order_has_no_secrets(self, owner: Owner, site: Site) -> None:
        site.capabilities -= {Capability.KEEPS}
        (number,) = await started(owner, site)
        await site.turn()
        variables = dict(site.ordered[number].variables)
        assert (variables["MLP_SERVICE_TOKEN"], "GREETING" in variables) == ("", False)
        assert len(site.machine.started) == 1

    async def test_data_images_are_mounted(self, owner: Owner, site: Site) -> None:
        await owner.mount_data_image()
        await started(owner, site)
        (work,) = site.machine.started
        assert work.mounts == ("acme/weights:1",)

    async def test_without_it_nothing_starts_that_needs_data_images(self, owner: Owner, site: Site) -> None:
        site.capabilities -= {Capability.MOUNTS}
        await owner.mount_data_image()
        await started(owner, site)
        assert not site.machine.started
