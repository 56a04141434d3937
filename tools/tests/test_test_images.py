"""On a machine without images, what .ci/run does not fetch before the tests would be skipped there."""

import re
from collections.abc import Mapping
from pathlib import Path

from mlplace_testing.servers import mongo, nginx, redis, stores

ROOT = Path(__file__).parents[2]
IMAGES: Mapping[str, str] = {
    name: value
    for module in (mongo, nginx, redis, stores)
    for name, value in vars(module).items()
    if name.endswith("IMAGE")
}


def test_images_of_servers_are_fetched_before_the_tests() -> None:
    fetched = re.search(r'for image in "\$MLP_TEST_IMAGE" (.*); do', (ROOT / ".ci/run").read_text())
    assert fetched is not None
    assert set(fetched[1].split()) == set(IMAGES.values())
    assert len(IMAGES) == 5, "one for each server"
