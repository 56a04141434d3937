"""The setting of proxies whose headers are believed. It loads no server: programs read their settings first."""

from typing import Annotated

from pydantic import AfterValidator

from mlplace_kit.networks import networks_of_proxies


def _checked(trusted: str) -> str:
    networks_of_proxies(trusted)
    return trusted


TrustedProxies = Annotated[str, AfterValidator(_checked)]
"""Comma-separated addresses and networks, or `*`."""
