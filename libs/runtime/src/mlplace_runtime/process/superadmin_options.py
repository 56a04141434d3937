"""The command line of `superadmin`."""

import argparse


def add_superadmin_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options. The parsed ones have `login` and `take_away`."""
    parser.add_argument("login", metavar="LOGIN", help="the login of a user who has registered")
    parser.add_argument("--take-away", action="store_true", help="withdraw the permission, but not from the last one")
