"""Scenarios in which a part of the platform fails or is killed."""

import asyncio

from mlplace_contracts.events import UsageRecorded
from mlplace_testing.waiting import eventually
from tests.settlement.callers import calling
from tests.settlement.case import Case
from tests.settlement.installation import PATIENCE
from tests.settlement.scripts import answers, fails, hangs
from tests.settlement.table import NONE


async def not_recorded(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    await _with_a_lease(case)
    with case.installation.disk_refuses():
        await case.refused(503, "mlp.gate.usage_not_recorded")


async def not_recorded_with_its_answer(case: Case) -> None:
    """A call with an Idempotency-Key: its answer and its usage are stored in the database together."""
    await case.open()
    await case.serve(answers)
    await _with_a_lease(case)
    async with case.installation.outbox_forbidden():
        await case.refused(503, "mlp.gate.usage_not_recorded", MLP_API_KEY=case.key, Idempotency_Key="once")


async def gateway_killed_before_the_answer(case: Case) -> None:
    installation = case.installation
    await case.open()
    instance = await case.serve(hangs)
    async with calling(case) as caller:
        async with asyncio.timeout(PATIENCE):
            await instance.asked.wait()
        installation.gateway.kill()
        assert await caller.hears_what_is_left() == ""
    await installation.gateway.start()


async def gateway_killed_before_commit(case: Case) -> None:
    """The gateway is killed after the answer came, while the database is about to commit it with the usage."""
    installation = case.installation
    await case.open()
    await case.serve(answers)
    await case.settled()  # the event of the connected instance is recorded too
    async with calling(case, Idempotency_Key="once") as caller:
        async with installation.outbox_locked():
            backends = await installation.someone_waits_for_the_lock()
            installation.gateway.kill()
            for backend in backends:  # also cut the network, so that unsent data is never sent
                await installation.gateway_books.execute(f"SELECT pg_terminate_backend({backend})")
        assert await caller.hears_what_is_left() == ""
    await installation.gateway.start()


async def gateway_killed_after_commit(case: Case) -> None:
    """The gateway dies when the usage exists only on its disk."""
    installation = case.installation
    await case.open()
    await case.serve(answers)
    with installation.bus_away():
        assert (await case.call()).status_code == 200
        assert installation.usages_on_the_disk(case.payer) == 1
        installation.gateway.kill()
    assert await case.figures() == NONE
    await installation.gateway.start()


async def billing_away(case: Case) -> None:
    installation = case.installation
    await case.open()
    await case.serve(answers)
    await _with_a_lease(case)
    assert await installation.billing.stop() == 0
    assert (await case.call()).status_code == 200
    assert await case.figures() == NONE
    await installation.billing.start()


async def billing_killed(case: Case) -> None:
    """mlpbilling dies while its charge waits for the payer's lock."""
    installation = case.installation
    await case.open()
    await case.serve(answers)
    billing_records = installation.billing_books
    async with billing_records.transaction():
        await billing_records.execute("LOCK TABLE usage IN EXCLUSIVE MODE")
        assert (await case.call()).status_code == 200
        waiting = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        await eventually(lambda: billing_records.fetch(waiting), seconds=PATIENCE)
        installation.billing.kill()
    await installation.billing.start()


async def bus_away(case: Case) -> None:
    installation = case.installation
    await case.open()
    await case.serve(answers)
    with installation.bus_away():
        assert (await case.call()).status_code == 200
        assert installation.usages_on_the_disk(case.payer) == 1
    assert await case.figures() == NONE


async def delivered_twice(case: Case) -> None:
    """The duplicate is in another envelope, as after another attempt."""
    await case.open()
    await case.serve(answers)
    assert (await case.call()).status_code == 200
    await case.settled()
    usages = [
        usage for usage in await case.installation.published(UsageRecorded) if usage.payer_account_id == case.payer
    ]
    assert len(usages) == 1
    await case.installation.publish(*usages, *usages)


async def _with_a_lease(case: Case) -> None:
    """The gateway has a lease for the next call: an earlier call requested it and released its hold."""
    instance = case.instances[0]
    script = instance.script

    instance.script = fails
    assert (await case.call()).status_code == 400
    instance.script = script
