"""Variables of the chart's containers against the classes that read them, which ignore what they do not know."""

import json
import re
from typing import Any

import pytest

from standalone.settings_page import SECTIONS, settings_of
from tests.chart.conftest import Rendered

SERVICES = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")
_SETTINGS = {section.title: list(settings_of(section)) for section in SECTIONS}


def known_to(service: str) -> dict[str, bool]:
    """Whether each setting of a service is required."""
    settings = [*_SETTINGS["Every service"], *_SETTINGS["Mail"], *_SETTINGS[service]]
    return {setting.name: setting.default == "required" for setting in settings}


def variables_of(rendered: Rendered, service: str) -> set[str]:
    """Those of the container, and those that its command sets."""
    pod: Any = dict(rendered.pods())[service]
    (container,) = (each for each in pod["containers"] if each["name"] == service)
    return set(re.findall(r"MLP_\w+", json.dumps([container.get("env"), container.get("command")])))


@pytest.fixture(params=["external", "evaluation", "everything"])
def rendered(request: pytest.FixtureRequest) -> Rendered:
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("service", SERVICES)
def test_service_knows_every_variable_and_gets_all_that_it_needs(rendered: Rendered, service: str) -> None:
    known, given = known_to(service), variables_of(rendered, service)
    assert given - known.keys() == set()
    assert {name for name, required in known.items() if required} - given == set()
