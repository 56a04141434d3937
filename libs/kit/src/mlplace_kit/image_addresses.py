"""Reads addresses of images as the Docker engine does."""

DOCKER_HUB = "docker.io"
_HUB_NAMES = frozenset({DOCKER_HUB, "index.docker.io"})


def split_tag(address: str) -> tuple[str, str | None]:
    """Returns repository and tag; `latest` without a tag, as `docker run` does. A digest stays with the repository."""
    if "@" in address:
        return address, None
    repository, colon, tag = address.rpartition(":")
    return (repository, tag) if colon and "/" not in tag else (address, "latest")


def repository_of(address: str) -> str:
    """Returns the registry and the path, without tag and digest."""
    repository, _ = split_tag(address.partition("@")[0])
    first, slash, _ = repository.partition("/")
    if not slash or not ("." in first or ":" in first or first == "localhost" or first != first.lower()):
        repository = f"{DOCKER_HUB}/{repository}"
    host, _, path = repository.partition("/")
    if host.lower() in _HUB_NAMES:
        return f"{DOCKER_HUB}/{path if '/' in path else f'library/{path}'}"
    return repository


def full_address(address: str) -> str:
    """Returns the address with registry and tag, or with its digest alone if it has one."""
    name, _, digest = address.partition("@")
    repository, (_, tag) = repository_of(address), split_tag(name)
    return f"{repository}@{digest}" if digest else f"{repository}:{tag}"


def registry_of(address: str) -> str:
    """Returns the host of the registry, with its port, in lower case. Docker Hub is `docker.io`."""
    return repository_of(address).partition("/")[0].lower()


def registry_host(text: str) -> str | None:
    """Returns a host as `registry_of` names it. None if it can be the registry of no address."""
    host = text.lower()
    if not ("." in host or ":" in host or host == "localhost"):
        return None
    return DOCKER_HUB if host in _HUB_NAMES else host
