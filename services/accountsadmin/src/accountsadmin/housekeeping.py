"""Forgets what nobody will ask for again."""

from collections.abc import Awaitable, Callable

from accountsadmin.origin import PLATFORM
from accountsadmin.unit_of_work import Resources
from mlplace_runtime.tasks import every

_SECONDS = 3600.0


def housekeeping(resources: Resources) -> Callable[[], Awaitable[None]]:
    async def clean() -> None:
        async with resources.open_work(PLATFORM) as work:
            await work.sessions.forget_ended()
            await work.throttle.forget_old()
            await work.devices.forget_old()
            await work.mail_tokens.forget_old()

    async def run() -> None:
        await every(_SECONDS, clean)

    return run
