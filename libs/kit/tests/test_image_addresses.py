import pytest

from mlplace_kit.image_addresses import full_address, registry_host, registry_of, repository_of, split_tag

DIGEST = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("address", "full"),
    [
        ("ubuntu", "docker.io/library/ubuntu:latest"),
        ("docker.io/ubuntu:1", "docker.io/library/ubuntu:1"),
        ("index.docker.io/acme/ner", "docker.io/acme/ner:latest"),
        ("Index.Docker.IO/acme/ner", "docker.io/acme/ner:latest"),
        ("acme/ner:1", "docker.io/acme/ner:1"),
        ("ACME/ner", "ACME/ner:latest"),
        ("localhost/ner", "localhost/ner:latest"),
        ("localhost:5000/ner", "localhost:5000/ner:latest"),
        ("ghcr.io/acme/ner:1", "ghcr.io/acme/ner:1"),
        (f"ghcr.io/acme/ner:1@{DIGEST}", f"ghcr.io/acme/ner@{DIGEST}"),
    ],
)
def test_full_address_has_registry_and_tag_or_digest(address: str, full: str) -> None:
    assert full_address(address) == full


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("ner", "docker.io"),
        ("acme/ner:1", "docker.io"),
        ("Ghcr.IO/acme/ner", "ghcr.io"),
        ("a.example:5000/x", "a.example:5000"),
    ],
)
def test_registry_is_a_host_in_lower_case(address: str, host: str) -> None:
    assert registry_of(address) == host


def test_repository_has_neither_tag_nor_digest() -> None:
    assert repository_of(f"a.example:5000/x:1@{DIGEST}") == "a.example:5000/x"


def test_a_port_is_no_tag() -> None:
    assert split_tag("a.example:5000/x") == ("a.example:5000/x", "latest")


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("Registry.Example", "registry.example"),
        ("index.docker.io", "docker.io"),
        ("localhost", "localhost"),
        ("acme", None),
    ],
)
def test_a_name_without_dot_and_port_is_no_registry(text: str, host: str | None) -> None:
    assert registry_host(text) == host
