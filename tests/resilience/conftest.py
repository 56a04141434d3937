"""A running compose project with the demo, as `make up` starts it."""

import pytest

from tests.acceptance.conftest import Platform, platform
from tests.acceptance.waiting import eventually
from tests.resilience.billing_records import BillingRecords
from tests.resilience.containers import Project

__all__ = ["platform"]

_SECONDS = 120


@pytest.fixture(scope="session")
def project(platform: Platform) -> Project:
    return Project(platform.checkout)


@pytest.fixture(scope="session")
def billing_records(platform: Platform, project: Project) -> BillingRecords:
    return BillingRecords(platform, project)


@pytest.fixture(autouse=True)
def well_before(project: Project) -> None:
    """Start each test from a healthy state."""
    eventually(project.unwell, until=lambda services: not services, seconds=_SECONDS, every=1)
