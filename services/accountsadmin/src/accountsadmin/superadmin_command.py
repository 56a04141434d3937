"""`superadmin LOGIN`: an operator makes a user a superadmin, since nobody else can before there is one."""

import argparse
from typing import assert_never

from accountsadmin.features.users.dependencies import superadmins_of
from accountsadmin.features.users.superadmins import Outcome
from accountsadmin.logins import normal_login
from accountsadmin.main import open_resources
from accountsadmin.origin import PLATFORM
from accountsadmin.settings import AccountsadminSettings
from mlplace_runtime.process.commands import Command, Opened, Say
from mlplace_runtime.process.problems import CommandRefusedError
from mlplace_runtime.process.superadmin_options import add_superadmin_options


async def run_superadmin(opened: Opened[AccountsadminSettings], options: argparse.Namespace, say: Say) -> int:
    """Raises CommandRefusedError for a user who does not exist, is blocked, or is the last superadmin."""
    login, take_away = normal_login(options.login), bool(options.take_away)
    async with (
        open_resources(opened.settings, opened.shared, opened.database) as resources,
        resources.open_work(PLATFORM) as work,
    ):
        superadmins = superadmins_of(work)
        outcome = await (superadmins.take_away(login=login) if take_away else superadmins.give(login=login))
    say(_told(outcome, login, take_away=take_away))
    return 0


def _told(outcome: Outcome, login: str, *, take_away: bool) -> str:
    match outcome:
        case Outcome.CHANGED if take_away:
            return f"{login} is no superadmin any more, and is signed out."
        case Outcome.CHANGED:
            return f"{login} is a superadmin now, and is signed out: the permission counts from the next sign-in."
        case Outcome.UNCHANGED:
            return f"{login} is no superadmin." if take_away else f"{login} is a superadmin already."
        case Outcome.UNKNOWN:
            raise CommandRefusedError(f"login: nobody has registered as {login}; register in the web interface first.")
        case Outcome.BLOCKED:
            raise CommandRefusedError(f"login: {login} is blocked; another superadmin must unblock this user first.")
        case Outcome.IS_LAST:
            raise CommandRefusedError(f"login: {login} is the last superadmin; make another user a superadmin first.")
        case _:
            assert_never(outcome)


SUPERADMIN_COMMAND = Command(
    "superadmin",
    "give a user the permission of a superadmin, or withdraw it",
    run_superadmin,
    add_superadmin_options,
)
