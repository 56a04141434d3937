"""Deletes expired sessions, attempts, devices and mail tokens."""

from collections.abc import Awaitable, Callable

from accountsadmin.features.devices.dependencies import devices_of
from accountsadmin.features.recovery.tokens import mail_tokens_of
from accountsadmin.features.sessions.dependencies import sessions_of
from accountsadmin.features.throttle.dependencies import throttle_of
from accountsadmin.origin import PLATFORM
from accountsadmin.unit_of_work import Resources
from mlplace_runtime.tasks import every

_SECONDS = 3600.0


def housekeeping(resources: Resources) -> Callable[[], Awaitable[None]]:
    async def clean() -> None:
        async with resources.open_work(PLATFORM) as work:
            await sessions_of(work).forget_ended()
            await throttle_of(work).forget_old()
            await devices_of(work).forget_old()
            await mail_tokens_of(work).forget_old()

    async def run() -> None:
        await every(_SECONDS, clean)

    return run
