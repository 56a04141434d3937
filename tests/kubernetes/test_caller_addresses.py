"""A pod's address is what the platform sees, also of one that reaches a service: many clusters enforce no policies."""

import os

import pytest

from tests.acceptance.caller_addresses import PROGRAM
from tests.acceptance.conftest import Platform
from tests.kubernetes.cluster import Cluster

_LOGIN = "demo@example.org"


class TestCallerAddress:
    @pytest.mark.parametrize("address", ["edge:80", "accountsadmin:8080"])
    def test_a_pod_cannot_choose_its_own(self, platform: Platform, cluster: Cluster, address: str) -> None:
        """The headers that the program sends name another one."""
        release = os.environ["MLP_RELEASE"]
        pod = f"{release}-demo-0"
        arguments = (f"http://{release}-{address}", _LOGIN, platform.passwords[_LOGIN])
        seen = cluster.kubectl("exec", pod, "--container", "agent", "--", "python", "-c", PROGRAM, *arguments)
        assert seen.strip() == cluster.kubectl("get", "pod", pod, "--output", "jsonpath={.status.podIP}")
