"""A release of the chart with the demo, as tests/kubernetes/run.sh installs it."""

import pytest

from tests.acceptance.conftest import Platform, caller, platform
from tests.acceptance.waiting import eventually
from tests.kubernetes.cluster import Cluster
from tests.resilience.billing_records import BillingRecords

__all__ = ["caller", "platform"]

_SECONDS = 180


@pytest.fixture(scope="session")
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture(scope="session")
def billing_records(platform: Platform, cluster: Cluster) -> BillingRecords:
    return BillingRecords(platform, cluster)


@pytest.fixture(autouse=True)
def well_before(cluster: Cluster) -> None:
    """Start each test from a healthy state."""
    eventually(cluster.unwell, until=lambda names: not names, seconds=_SECONDS, every=1)
