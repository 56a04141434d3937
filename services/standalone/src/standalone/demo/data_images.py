"""The data images of the demo. No service mounts one: the demo's programs run as processes, which cannot."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DemoDataImage:
    """`image`: an address, which nobody pulls while no service mounts the data image."""

    name: str
    image: str
    source_path: str


DATA_IMAGES = (DemoDataImage(name="time-zones", image="python:3.12-slim", source_path="/usr/share/zoneinfo"),)
"""A public image with a small folder, which a server with Docker can mount."""
