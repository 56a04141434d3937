"""Issues licences: `python -m mlpcore.features.license new-key`, then `... sign TERMS.json KEY.pem`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from mlpcore.licensing.schemas import LicenseTerms
from mlpcore.licensing.terms import sign


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m mlpcore.features.license", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("new-key", help="print a new key pair: the private part signs, the public one goes to settings")
    signing = commands.add_parser("sign", help="print the licence with these terms")
    signing.add_argument("terms", type=Path)
    signing.add_argument("key", type=Path)
    chosen = parser.parse_args(arguments)
    sys.stdout.write(_new_key() if chosen.command == "new-key" else _signed(chosen.terms, chosen.key))
    return 0


def _new_key() -> str:
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return (private + key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)).decode()


def _signed(terms: Path, key: Path) -> str:
    """Returns the signed licence. Raises ValueError for invalid terms, SystemExit for another kind of key."""
    private = load_pem_private_key(key.read_bytes(), password=None)
    if not isinstance(private, Ed25519PrivateKey):
        raise SystemExit("the key must be an Ed25519 private key in PEM form")
    return sign(LicenseTerms.model_validate_json(terms.read_bytes()), private) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
