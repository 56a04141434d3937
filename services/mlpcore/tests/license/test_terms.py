import base64
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pydantic import ValidationError

from mlpcore.licensing.schemas import LicenseTerms
from mlpcore.licensing.terms import LicenseUnreadableError, public_key, read, read_file, sign
from mlpcore.settings import MlpcoreSettings

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
TERMS = LicenseTerms(
    customer="acme",
    not_before=datetime(2026, 1, 1, tzinfo=UTC),
    expires=datetime(2027, 1, 1, tzinfo=UTC),
    allowed_services=3,
)


def part(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()


def signed(header: object, payload: object) -> bytes:
    text = f"{part(header)}.{part(payload)}"
    signature = base64.urlsafe_b64encode(KEY.sign(text.encode())).rstrip(b"=").decode()
    return f"{text}.{signature}".encode()


class TestLicense:
    def test_signed_terms_are_read_back(self, tmp_path: Path) -> None:
        file = tmp_path / "license"
        file.write_text(sign(TERMS, KEY) + "\n")
        assert read_file(file, KEY.public_key()) == TERMS

    def test_licence_signed_with_another_key_is_refused(self) -> None:
        with pytest.raises(LicenseUnreadableError, match="not signed"):
            read(sign(TERMS, KEY).encode(), Ed25519PrivateKey.generate().public_key())

    @pytest.mark.parametrize("place", range(3))
    def test_modified_licence_is_refused(self, place: int) -> None:
        parts = sign(TERMS, KEY).split(".")
        middle = len(parts[place]) // 2
        other = "A" if parts[place][middle] != "A" else "B"
        parts[place] = parts[place][:middle] + other + parts[place][middle + 1 :]
        with pytest.raises(LicenseUnreadableError):
            read(".".join(parts).encode(), KEY.public_key())

    @pytest.mark.parametrize(
        ("header", "payload"),
        [
            ({"alg": "none", "typ": "mlplace-license"}, TERMS.model_dump(mode="json", by_alias=True)),
            ({"alg": "EdDSA", "typ": "JWT"}, TERMS.model_dump(mode="json", by_alias=True)),
            ({"alg": "EdDSA", "typ": "mlplace-license"}, {"customer": "acme"}),
            ({"alg": "EdDSA", "typ": "mlplace-license"}, []),
            ([], {}),
        ],
    )
    def test_signed_text_that_is_not_a_licence_is_refused(self, header: object, payload: object) -> None:
        with pytest.raises(LicenseUnreadableError):
            read(signed(header, payload), KEY.public_key())

    @pytest.mark.parametrize("text", [b"", b".", b"..", b"a.b.c", b"\xff.\xff.\xff", b"a" * 100_000])
    def test_malformed_text_is_refused(self, text: bytes) -> None:
        with pytest.raises(LicenseUnreadableError):
            read(text, KEY.public_key())

    def test_missing_or_too_large_file_is_refused(self, tmp_path: Path) -> None:
        for path in (tmp_path / "none", tmp_path):
            with pytest.raises(LicenseUnreadableError, match="cannot be read"):
                read_file(path, KEY.public_key())
        (tmp_path / "large").write_bytes(b"a" * 70_000)
        with pytest.raises(LicenseUnreadableError, match="too large"):
            read_file(tmp_path / "large", KEY.public_key())


class TestPublicKey:
    def test_pem_key_is_read_with_real_or_escaped_newlines(self) -> None:
        pem = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        for text in (pem, pem.replace("\n", "\\n")):
            assert public_key(text) == KEY.public_key()

    def test_key_of_another_type_is_refused(self) -> None:
        other = X25519PrivateKey.generate().public_key()
        for text in ("", "nonsense", other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()):
            with pytest.raises(ValueError, match="Ed25519"):
                public_key(text)

    def test_unreadable_key_makes_the_settings_invalid(self) -> None:
        with pytest.raises(ValidationError, match="Ed25519"):
            MlpcoreSettings(database_url="postgresql+asyncpg://nowhere", license_public_key="nonsense")
