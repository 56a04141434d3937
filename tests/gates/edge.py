"""The edge in front of two gates, with its own configuration."""

import re
from collections.abc import Mapping, Sequence

from mlplace_testing.servers.nginx import CONFIG, Launcher, Nginx
from tests.crashes.installation import Gate

_NOBODY = "127.0.0.1:9"
_OTHERS = ("EDGE_ACCOUNTSADMIN", "EDGE_MLPCORE", "EDGE_MLPBILLING")


def edge_of(launcher: Launcher, gates: Sequence[Gate]) -> Nginx:
    """Gates on one host have different ports, which a name cannot express, so the configuration lists them."""
    addresses: dict[str, list[str]] = {
        "EDGE_MLPGATEWAY": [f"127.0.0.1:{gate.process.port}" for gate in gates],
        "EDGE_GATE": [gate.grpc for gate in gates],
    }
    environment: Mapping[str, str] = {name: _servers(name, listed) for name, listed in addresses.items()}
    return Nginx(launcher, {**environment, **dict.fromkeys(_OTHERS, _NOBODY)})


def _servers(name: str, addresses: Sequence[str]) -> str:
    template = (CONFIG / "upstreams" / "services.conf.template").read_text()
    found = re.search(rf"server \$\{{{name}\}} resolve ([^;]+);", template)
    if found is None:
        raise ValueError(f"{name} is not where it used to be")
    *others, last = addresses
    return "".join(f"{address} {found[1]}; server " for address in others) + last
