"""Command line: ``mlplace serve module:object`` and ``mlplace descriptor module:object``."""

import argparse
import sys
from collections.abc import Sequence

from google.protobuf import json_format

from mlplace.authoring.descriptor import build_descriptor
from mlplace.authoring.loading import load
from mlplace.authoring.service import Service
from mlplace.errors import DeclarationError, SettingsError
from mlplace.hosting.host import USAGE_ERROR, run


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 2, with one line on standard error, for a wrong reference or an incomplete environment."""
    parser = argparse.ArgumentParser(prog="mlplace", description="Serve a typed function as a model.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, purpose in (("serve", "connect to the gates of the environment"), ("descriptor", "print what is served")):
        verbs.add_parser(verb, help=purpose).add_argument("reference", metavar="module:object")
    chosen = parser.parse_args(arguments)
    try:
        thing = load(chosen.reference)
        if chosen.verb == "serve":
            run(thing)
        else:
            descriptor = build_descriptor(Service.of(thing))
            sys.stdout.write(json_format.MessageToJson(descriptor, ensure_ascii=False) + "\n")
    except (DeclarationError, SettingsError) as error:
        sys.stderr.write(f"mlplace: {error}\n")
        return USAGE_ERROR
    return 0


if __name__ == "__main__":
    sys.exit(main())
