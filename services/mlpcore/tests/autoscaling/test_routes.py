"""Who sees decisions, what a configuration may say, and how it is refused."""

from datetime import timedelta
from typing import Any

import pytest

from .conftest import MODEL, Site

pytestmark = pytest.mark.own_database  # it has partitions
UP = {"scaleUpActiveRequestsThreshold": 3, "scaleDownActiveRequestsThreshold": 1, "cooldownDurationMinutes": 0}
BUSY = {"answered": 100, "active_ms": 80_000}
DECISIONS = f"{MODEL}/autoscaling/decisions"

ALWAYS = {
    "startTime": {"hour": 0, "minute": 0}, "endTime": {"hour": 0, "minute": 0}, "minInstances": 1, "maxInstances": 1,
}  # fmt: skip


class TestHistory:
    async def test_decisions_are_listed_with_their_numbers(self, site: Site) -> None:
        await site.configure(**UP)
        await site.request(1)
        await site.connect()
        await site.measure(**BUSY)
        assert await site.decide() == 3
        await site.connect()
        await site.measure(120)
        assert await site.decide() == 2
        down, up = await site.read("/autoscaling/decisions")
        assert (up["kind"], up["reason"], up["before"], up["after"]) == ("SCALE_UP", "activeRequests", 1, 3)
        assert up["values"] == {"activeRequests": 8.0, "requestsPerMinute": 600.0, "queueTimeMs": 0.0}
        assert (up["minInstances"], up["maxInstances"], up["scheduled"], up["waiting"]) == (1, 5, False, 0.0)
        assert (down["kind"], down["before"], down["after"]) == ("SCALE_DOWN", 3, 2)
        assert await site.read(f"/autoscaling/decisions?before={down['id']}") == [up]
        assert await site.read("/autoscaling/decisions?limit=1") == [down]
        assert await site.read("/autoscaling/decisions?minutes=1") == [down]

    async def test_state_says_what_is_seen_now(self, site: Site) -> None:
        await site.configure(**UP, maxInstanceCount=2, minInstanceCount=1)
        await site.request(1)
        await site.connect()
        await site.measure(**BUSY)
        state = await site.read("/autoscaling")
        assert (state["requested"], state["connected"], state["wanted"], state["reason"]) == (
            1, 1, 3, "activeRequests",
        )  # fmt: skip
        assert (state["known"], state["values"]["activeRequests"], state["maxInstances"]) == (True, 8.0, 2)
        site.clock.advance(timedelta(minutes=2))
        state = await site.read("/autoscaling")
        assert (state["known"], state["values"], state["reason"]) == (False, {}, "unknown")

    @pytest.mark.parametrize("path", [f"{MODEL}/autoscaling", DECISIONS])
    async def test_others_see_nothing(self, site: Site, path: str) -> None:
        assert (await site.client.get(path, headers=site.world.user)).status_code == 200
        assert (await site.client.get(path)).status_code == 401
        assert (await site.client.get(path, headers=site.world.stranger)).status_code in {403, 404}
        missing = path.replace("greeting", "none")
        assert (await site.client.get(missing, headers=site.world.owner)).status_code == 404

    @pytest.mark.parametrize("query", ["limit=0", "limit=1001", "before=0", "minutes=0", "minutes=x"])
    async def test_invalid_queries_are_refused(self, site: Site, query: str) -> None:
        assert (await site.client.get(f"{DECISIONS}?{query}", headers=site.world.owner)).status_code == 400


class TestConfiguration:
    @pytest.mark.parametrize(
        ("scaling", "field"),
        [
            ({"minInstanceCount": 3, "maxInstanceCount": 2}, "autoScalingConfiguration.maxInstanceCount"),
            ({"minInstanceCount": -1}, "autoScalingConfiguration.minInstanceCount"),
            ({"maxInstanceCount": 1001}, "autoScalingConfiguration.maxInstanceCount"),
            ({"scaleUpLatencyThresholdMs": 0}, "autoScalingConfiguration.scaleUpLatencyThresholdMs"),
            (
                {"scaleUpQueueTimeThresholdMs": 5, "scaleDownQueueTimeThresholdMs": 6},
                "autoScalingConfiguration.scaleDownQueueTimeThresholdMs",
            ),
            (
                {"scaleUpCpuThresholdMilliCores": 5, "scaleDownCpuThresholdMilliCores": 6},
                "autoScalingConfiguration.scaleDownCpuThresholdMilliCores",
            ),
            (
                {"scheduledInstanceCountSettings": [ALWAYS, {**ALWAYS, "minInstances": 2, "maxInstances": 1}]},
                "autoScalingConfiguration.scheduledInstanceCountSettings.1.maxInstances",
            ),
            ({"timeZone": "Europe/Berlin"}, "autoScalingConfiguration.timeZone"),
            ({"timeZone": "Mars/Base"}, "autoScalingConfiguration.timeZone"),
            ({"timeZone": "../etc/passwd"}, "autoScalingConfiguration.timeZone"),
            ({"idleTimeMinutes": 0}, "autoScalingConfiguration.idleTimeMinutes"),
            (
                {"scheduledInstanceCountSettings": [{"startTime": {"hour": 24, "minute": 0}}]},
                "autoScalingConfiguration.scheduledInstanceCountSettings.0.startTime.hour",
            ),
            ({"noSuchField": 1}, "autoScalingConfiguration.noSuchField"),
        ],
    )
    async def test_refusal_names_the_field(self, site: Site, scaling: dict[str, Any], field: str) -> None:
        body = {"modelName": "greeting", "autoScalingConfiguration": scaling}
        answer = await site.client.post(MODEL, json=body, headers=site.world.owner)
        assert answer.status_code == 400
        assert field in answer.json()["args"], answer.text

    async def test_each_wrong_pair_of_thresholds_is_named(self, site: Site) -> None:
        pairs = {"LatencyThresholdMs", "ActiveRequestsThreshold"}
        scaling: dict[str, int] = {"minInstanceCount": 2, "maxInstanceCount": 1}
        for name in pairs:
            scaling |= {f"scaleUp{name}": 5, f"scaleDown{name}": 6}
        body = {"modelName": "greeting", "autoScalingConfiguration": scaling}
        answer = await site.client.post(MODEL, json=body, headers=site.world.owner)
        found = {violation["path"]: violation["rule"] for violation in answer.json()["violations"]}
        assert found == {
            "autoScalingConfiguration.maxInstanceCount": "bounds",
            **{f"autoScalingConfiguration.scaleDown{name}": "thresholds" for name in pairs},
        }

    async def test_configuration_is_read_as_it_was_written(self, site: Site) -> None:
        period = {"startTime": {"hour": 22, "minute": 15}, "endTime": {"hour": 6, "minute": 0}}
        await site.configure(
            **UP,
            timeZone="UTC",  # the account's
            scaleUpQueueTimeThresholdMs=500,
            scheduledInstanceCountSettings=[{**period, "minInstances": 1, "maxInstances": 2}],
        )
        stored = (await site.read(""))["autoScalingConfiguration"]
        assert (stored["timeZone"], stored["scaleUpQueueTimeThresholdMs"]) == (None, 500)
        (kept,) = stored["scheduledInstanceCountSettings"]
        assert (kept["startTime"]["hour"], kept["startTime"]["minute"], kept["maxInstances"]) == (22, 15, 2)
