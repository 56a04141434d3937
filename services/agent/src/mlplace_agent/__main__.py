"""`python -m mlplace_agent run --config agent.json`."""

import argparse
import sys
from pathlib import Path

from mlplace_agent.config import ConfigurationError, load_config
from mlplace_agent.main import run
from mlplace_agent.platform import NotWelcomeError


def main() -> int:
    """Returns 0 after a requested stop, 2 for an invalid configuration, 3 when the platform refuses this server."""
    parser = argparse.ArgumentParser(prog="mlplace_agent", description="MLPlace hosting-server agent")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("run", help="run the instances that the platform assigns to this server")
    verb.add_argument("--config", type=Path, required=True)
    verb.add_argument(
        "--die-with-parent", type=int, metavar="PID", help="stop when this process, which started the agent, dies"
    )
    arguments = parser.parse_args()
    try:
        run(load_config(arguments.config), parent=arguments.die_with_parent)
    except ConfigurationError as error:
        print(error, file=sys.stderr)  # noqa: T201  the answer to the person who started it
        return 2
    except NotWelcomeError as error:
        print(f"the platform does not accept this server any more: {error}", file=sys.stderr)  # noqa: T201  as above
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
